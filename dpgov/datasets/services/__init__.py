"""Every change to datasets and uploads, and this room's only door to files and engines.

A file is parsed by a child process, never here. Every write makes exactly one audit entry in its
own transaction.
"""

from dpgov.datasets.services.appending import why_not_append
from dpgov.datasets.services.arrivals.states import (
    OneAtATime,
    ask_derived,
    ask_registration,
    ask_version,
    cancel_arrival,
    cancel_derived,
)
from dpgov.datasets.services.audience import (
    MOST_VIEWERS,
    NoAnalyst,
    OwnNaming,
    TooManyViewers,
    change_audience,
)
from dpgov.datasets.services.declaring import as_declared
from dpgov.datasets.services.deleting import (
    NoFile,
    QuestionsOnTheirWay,
    RowsInDerived,
    SameRowsAsNewest,
    delete_data,
    delete_version_data,
    finish_deletions,
    holding_rows_of,
    same_rows,
)
from dpgov.datasets.services.derived.declared import can_be_joined
from dpgov.datasets.services.derived.parents import DeclaredParent, Derivation
from dpgov.datasets.services.files.checks import TooManyChecks, check_file, checks_left
from dpgov.datasets.services.files.data import sees
from dpgov.datasets.services.files.discarding import discard_abandoned, discard_upload
from dpgov.datasets.services.files.drafts import (
    DraftMoved,
    DraftTooLarge,
    draft_of,
    draft_seen,
    drop_draft,
    keep_draft,
    typed_in,
)
from dpgov.datasets.services.files.handing_in import TooManyFiles
from dpgov.datasets.services.files.joins import (
    check_key,
    drop_public_table,
    join_public_table,
    own_headers,
    public_table_of,
    take_public_table,
)
from dpgov.datasets.services.files.orphans import keep_tending, remove_orphans, tend_copies
from dpgov.datasets.services.files.readings import read_differently
from dpgov.datasets.services.files.uploads import (
    Busy,
    UploadBusy,
    UploadUsed,
    receive_upload,
    take_upload,
)
from dpgov.datasets.services.fingerprint_key import FingerprintKeyChanged
from dpgov.datasets.services.held.agreements import (
    AgreedAlready,
    GivenAgreement,
    OwnOrganisation,
    agree,
    agreements_of,
    end_agreement,
)
from dpgov.datasets.services.held.deciding import HOLD_KINDS, decide_as_agreed, request_decision
from dpgov.datasets.services.held.holds import (
    AskedAlready,
    NotHeld,
    OtherBudget,
    SamePeople,
    discard_held,
    possible_lenders,
    release_held,
    share_budget,
)
from dpgov.datasets.services.held.looks import (
    LookedAtAlready,
    OwnData,
    Resembling,
    let_begin,
    pause,
    resembling,
    waiting_for_a_look,
)
from dpgov.datasets.services.holding import change_new_data_rule, new_data_waits
from dpgov.datasets.services.live.asking import engine_for
from dpgov.datasets.services.live.connecting import (
    TablePlace,
    are_offered,
    begin_declarations,
    connect_table,
    replace_credentials,
)
from dpgov.datasets.services.live.following import ReadsAnother
from dpgov.datasets.services.live.kinds import KINDS as LIVE_KINDS
from dpgov.datasets.services.live.kinds import kind_of
from dpgov.datasets.services.live.kinds import offered as offered_kinds
from dpgov.datasets.services.live.kinds.base import SourceKind, TypedField
from dpgov.datasets.services.live.refreshing import RefusedRefresh, declare_refresh
from dpgov.datasets.services.live.refusals import RefusedTable, TooManyTries
from dpgov.datasets.services.live.sealing import LONGEST as LONGEST_PASSWORD
from dpgov.datasets.services.live.states import last_refresh, rows_in_words
from dpgov.datasets.services.parts import ends_parts
from dpgov.datasets.services.pausing import PausedDataset, pause_questions, resume_questions
from dpgov.datasets.services.policy import (
    LeastPriceTooHigh,
    LeastPriceTooLow,
    OwnPermit,
    PermitNotMore,
    PermitOver,
    QuestionAboveLimit,
    QuestionBelowLeast,
    change_policy,
    permit,
    permits_of,
)
from dpgov.datasets.services.registration import Registered, register_dataset
from dpgov.datasets.services.retention import SHORTEST, TooSoon, end_retention, keep_until
from dpgov.datasets.services.stored.bringing import bring_soon, may_come
from dpgov.datasets.services.stored.keeping import DataMissing, at_hand
from dpgov.datasets.services.stored.seals import is_another, is_kept_as_recorded
from dpgov.datasets.services.terms import (
    LONGEST_TERMS,
    NotInForce,
    SameTerms,
    TermsTooLong,
    accept_terms,
    set_terms,
)
from dpgov.datasets.services.unit_bounds import change_unit_bounds
from dpgov.datasets.services.upkeep import (
    LimitNotLowered,
    archive_dataset,
    describe_dataset,
    lower_limit,
    rename_dataset,
    set_needs_allocation,
    why_not_archive,
)
from dpgov.datasets.services.versions import add_version
from dpgov.engines.child import CheckReport, RefusedFile

__all__ = [
    "HOLD_KINDS",
    "LIVE_KINDS",
    "LONGEST_PASSWORD",
    "LONGEST_TERMS",
    "MOST_VIEWERS",
    "SHORTEST",
    "AgreedAlready",
    "AskedAlready",
    "Busy",
    "CheckReport",
    "DataMissing",
    "DeclaredParent",
    "Derivation",
    "DraftMoved",
    "DraftTooLarge",
    "FingerprintKeyChanged",
    "GivenAgreement",
    "LeastPriceTooHigh",
    "LeastPriceTooLow",
    "LimitNotLowered",
    "LookedAtAlready",
    "NoAnalyst",
    "NoFile",
    "NotHeld",
    "NotInForce",
    "OneAtATime",
    "OtherBudget",
    "OwnData",
    "OwnNaming",
    "OwnOrganisation",
    "OwnPermit",
    "PausedDataset",
    "PermitNotMore",
    "PermitOver",
    "QuestionAboveLimit",
    "QuestionBelowLeast",
    "QuestionsOnTheirWay",
    "ReadsAnother",
    "RefusedFile",
    "RefusedRefresh",
    "RefusedTable",
    "Registered",
    "Resembling",
    "RowsInDerived",
    "SamePeople",
    "SameRowsAsNewest",
    "SameTerms",
    "SourceKind",
    "TablePlace",
    "TermsTooLong",
    "TooManyChecks",
    "TooManyFiles",
    "TooManyTries",
    "TooManyViewers",
    "TooSoon",
    "TypedField",
    "UploadBusy",
    "UploadUsed",
    "accept_terms",
    "add_version",
    "agree",
    "agreements_of",
    "archive_dataset",
    "are_offered",
    "as_declared",
    "ask_derived",
    "ask_registration",
    "ask_version",
    "at_hand",
    "begin_declarations",
    "bring_soon",
    "can_be_joined",
    "cancel_arrival",
    "cancel_derived",
    "change_audience",
    "change_new_data_rule",
    "change_policy",
    "change_unit_bounds",
    "check_file",
    "check_key",
    "checks_left",
    "connect_table",
    "decide_as_agreed",
    "declare_refresh",
    "delete_data",
    "delete_version_data",
    "describe_dataset",
    "discard_abandoned",
    "discard_held",
    "discard_upload",
    "draft_of",
    "draft_seen",
    "drop_draft",
    "drop_public_table",
    "end_agreement",
    "end_retention",
    "ends_parts",
    "engine_for",
    "finish_deletions",
    "holding_rows_of",
    "is_another",
    "is_kept_as_recorded",
    "join_public_table",
    "keep_draft",
    "keep_tending",
    "keep_until",
    "kind_of",
    "last_refresh",
    "let_begin",
    "lower_limit",
    "may_come",
    "new_data_waits",
    "offered_kinds",
    "own_headers",
    "pause",
    "pause_questions",
    "permit",
    "permits_of",
    "possible_lenders",
    "public_table_of",
    "read_differently",
    "receive_upload",
    "register_dataset",
    "release_held",
    "remove_orphans",
    "rename_dataset",
    "replace_credentials",
    "request_decision",
    "resembling",
    "resume_questions",
    "rows_in_words",
    "same_rows",
    "sees",
    "set_needs_allocation",
    "set_terms",
    "share_budget",
    "take_public_table",
    "take_upload",
    "tend_copies",
    "typed_in",
    "waiting_for_a_look",
    "why_not_append",
    "why_not_archive",
]
