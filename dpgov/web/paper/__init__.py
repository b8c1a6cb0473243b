"""Reports to keep and to sign, on A4: fonts, head and foot, headings, text and tables of a PDF."""
