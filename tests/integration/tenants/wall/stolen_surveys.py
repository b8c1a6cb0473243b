"""What the same person tries with surveys; the names in braces are those of stolen.py.

Drafts, reports and tokens are the application's to write; what is open was charged, and stays so.
"""

_FORGED = "00000000-0000-4000-8000-00000000f0e6"
_COPY = (
    "INSERT INTO surveys_survey SELECT (jsonb_populate_record(s, jsonb_build_object("
    f"'id', '{_FORGED}', 'code', 'forged'))).* FROM surveys_survey s WHERE s.id = '{{%s}}'"
)
SURVEYS = (
    "UPDATE surveys_survey SET charged_nano = charged_nano + 1 WHERE id = '{survey}'",
    "UPDATE surveys_survey SET question = 'another' WHERE id = '{survey}'",
    "UPDATE surveys_survey SET kept = 4294967290, other = 6 WHERE id = '{survey}'",
    "UPDATE surveys_survey SET state = 'open', budget_id = '{budget}', charged_nano = 1"
    " WHERE id = '{draft}'",
    _COPY % "survey",
    f"{_COPY % 'draft'}; INSERT INTO surveys_tally (survey_id, tenant_id, reports, counts)"
    f" VALUES ('{_FORGED}', '{{ours}}', 5, '[5, 0]')",
    "UPDATE surveys_surveytoken SET spent = false WHERE survey_id = '{survey}' AND spent",
    "UPDATE surveys_tally SET reports = reports + 100 WHERE survey_id = '{survey}'",
    "DELETE FROM surveys_surveytoken WHERE survey_id = '{survey}'",
    "SELECT refusal FROM budgets_correct(gen_random_uuid(), '{ours}', '{budget}', 'survey', 1,"
    " NULL, NULL, 'x')",
)
