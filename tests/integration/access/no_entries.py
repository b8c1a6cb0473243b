"""Doors that take POST and make no entry in the log by design, each with the reason."""

_OWN_READING = "marks the person's own notices, and changes nothing for anybody else"
_PRICE_ONLY = "computes a price and stores nothing"
_INVENTED = "answers from invented rows, and stores nothing"
_ASKED = (
    "asks a reader, or asks no more; the registration makes its entry, and nobody sees it before: "
    "tests/integration/datasets/arrivals"
)
_DERIVED = "asks a reader, or asks no more; DATASET_DERIVED, in tests/integration/datasets/derived"
_LIVE = "asks an owner's server first; its entry is in tests/integration/datasets/live"
_OWN_NOTE = "a person's own note: it asks and spends nothing, and nobody else sees it"

RECORDS_NOTHING = {
    "oversight:record": "makes a text out of declarations and what is typed; stores nothing",
    "datasets:register": _ASKED,
    "datasets:cancel_reading": _ASKED,
    "datasets:connect": _LIVE,
    "datasets:live": _LIVE,
    "datasets:declare_live": _LIVE,
    "datasets:derive": _DERIVED,
    "datasets:cancel_deriving": _DERIVED,
    "v1:dataset-derive": _DERIVED,
    "datasets:import_columns": "puts what a file says into the person's draft; declares nothing",
    "datasets:add_version": _ASKED,
    "datasets:save_draft": "keeps the owner's own unfinished form; nobody else sees it",
    "datasets:fill": "changes the owner's own draft; nobody else sees it",
    "datasets:bounds": "draws what two pairs of bounds cost, on invented values; stores nothing",
    "datasets:file": "how an owner's own file is read, like what they typed; nobody else sees it",
    "datasets:join_columns": "which columns an owner's own file gets; its registration says so",
    "datasets:review": "shows what would be registered, and keeps it as the owner's own draft",
    "queries:quote": _PRICE_ONLY,
    "queries:ask_sql": _PRICE_ONLY,
    "queries:sql_price": _PRICE_ONLY,
    "queries:curve": _PRICE_ONLY,
    "v1:curve": _PRICE_ONLY,
    "queries:save": _OWN_NOTE,
    "queries:saved_remove": _OWN_NOTE,
    "queries:saved_restore": _OWN_NOTE,
    "queries:mock": _INVENTED,
    "queries:put_aside": "keeps a question in the person's session; asks and stores nothing else",
    "v1:survey-answer": (
        "an entry for a report would say when it came: tests/integration/surveys/test_unlinkable.py"
    ),
    "notices:read": _OWN_READING,
    "notices:read_all": _OWN_READING,
    "notices:choices": "chooses what the person themselves is sent",
    "notices:webhook_test": "plans a test message; the webhook's own list of deliveries holds it",
    "tenants:join": "INVITATION_ACCEPTED, in tests/integration/tenants/test_joining.py",
    "tenants:language": "chooses the language that the person reads",
    "tenants:switch": "chooses which tenant this session shows; changes nothing in either",
    "v1:quote": _PRICE_ONLY,
    "v1:mock": _INVENTED,
    "v1:sql": _PRICE_ONLY,
    "v1:joint-code": "shows what a code offers, and stores nothing",
    "v1:batch-quote": _PRICE_ONLY,
    "account_signup": "is closed: nobody signs up by themselves",
    "socialaccount_signup": "is closed: nobody signs up by themselves",
}
