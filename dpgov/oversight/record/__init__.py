"""The public record of a dataset."""
