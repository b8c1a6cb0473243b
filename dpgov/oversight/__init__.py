"""The officer's desk: a month in numbers, its report, patterns of attack, the public record."""
