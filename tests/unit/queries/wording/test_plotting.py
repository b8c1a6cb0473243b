"""J6: what a chart's title says: inert, and whole on the narrowest chart."""

from dpgov.queries.wording.plotting import LONGEST_LABEL, in_lines


def test_a_long_title_stands_in_lines_that_a_narrow_chart_holds() -> None:
    title = in_lines("Mean of capital_gain - capital_loss")
    assert title == "Mean of capital_gain -<br>capital_loss"
    assert all(len(line) <= LONGEST_LABEL for line in in_lines("x" * 500).split("<br>"))
    assert in_lines("Mean of age") == "Mean of age"


def test_a_name_breaks_no_line_and_brings_no_tag() -> None:
    assert in_lines("Mean of <b>a</b>\n<br>") == "Mean of &lt;b&gt;a&lt;/b&gt; &lt;br&gt;"
    assert in_lines("%{x} & y") == "%&#123;x} &amp; y"
