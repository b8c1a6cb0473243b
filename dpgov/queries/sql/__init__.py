"""SQL for those who know it: a small, documented part of it, read into the same plan as forms and
API. Must never reach a database: nothing of the text is ever executed.
"""
