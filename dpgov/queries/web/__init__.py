"""Pages of questions and answers. Views import forms and the work, never each other."""
