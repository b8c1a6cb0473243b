from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0002_letters"),
    ]

    operations = [
        migrations.AddField(
            model_name="surveyletter",
            name="form",
            field=models.CharField(default="", max_length=32),
        ),
    ]
