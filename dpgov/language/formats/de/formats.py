"""Numbers in German pages: the decimal point stays, thousands are parted by a narrow space.

An ε is copied between pages, notebooks and the log. Written "0,5" here and "0.5" there, or "1.234"
for a thousand here and a little more than one there, it would be misread; ISO 80000-1 allows the
point, and asks for spaces.
"""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = "\u202f"
NUMBER_GROUPING = 3
DATE_FORMAT = "j. F Y"
SHORT_DATE_FORMAT = "d.m.Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j. F Y H:i"
SHORT_DATETIME_FORMAT = "d.m.Y H:i"
MONTH_DAY_FORMAT = "j. F"
YEAR_MONTH_FORMAT = "F Y"
FIRST_DAY_OF_WEEK = 1
