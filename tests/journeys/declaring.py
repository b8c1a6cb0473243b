"""How the owner's tutorial declares a table, section by section."""

from tests.journeys.lessons import TUTORIALS, Lesson

VISITS = TUTORIALS / "ward-visits.csv"


def owner_declares(lesson: Lesson) -> None:
    """From the upload to the budget."""
    with lesson.section("2. Upload a table"):
        lesson.click("Register a dataset")
        lesson.attach("CSV, Excel or Parquet file", VISITS)
        lesson.click("Upload")
        lesson.see("Save and go on later")
    with lesson.section("3. Say what it is and whom it protects"):
        lesson.fill("Name", "Ward visits")
        lesson.fill("Description", "Stays in three wards; invented.")
        lesson.tick("A column names the person (or unit)")
        lesson.choose("Column that names the person", "patient")
        lesson.fill("Most rows of one person", "3")
        lesson.fill("Largest number of rows", "2000")
        lesson.picture("unit", top="The dataset")
    with lesson.section("4. Declare the columns"):
        for name, bounds in (("age", ("0", "110", "1")), ("nights", ("0", "30", "1"))):
            column = lesson.page.get_by_role("row", name=name, exact=True)
            lesson.choose("Type", "Number", within=column)
            for label, value in zip(("From", "To", "Step"), bounds, strict=True):
                lesson.fill(label, value, within=column)
        column = lesson.page.get_by_role("row", name="ward", exact=True)
        lesson.choose("Type", "Category", within=column)
        lesson.write("Values", ["North", "South", "West"], within=column)
        lesson.picture("columns", top="Columns")
    with lesson.section("5. Set the budget"):
        lesson.fill("Limit on ε for the dataset", "3")
        lesson.fill("Limit on ε for one question", "0.5")
        lesson.see("With ε 3 for all answers together", told=False)
        lesson.picture("budget", top="Privacy budget")
