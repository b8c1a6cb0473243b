from django.db import migrations

# Since then closing a survey closes the budget that it alone has.
_CLOSE = """
UPDATE budgets_budget
SET closed_at = (SELECT s.closed_at FROM surveys_survey s WHERE s.budget_id = budgets_budget.id)
WHERE kind = 'survey' AND closed_at IS NULL
AND id IN (SELECT s.budget_id FROM surveys_survey s WHERE s.state = 'closed')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0002_surveys"),
        ("surveys", "0003_letters_of_a_form"),
    ]

    operations = [migrations.RunSQL(_CLOSE, migrations.RunSQL.noop)]
