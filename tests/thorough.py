"""What a whole run (`uv run pytest --whole`, as CI) has beyond an everyday one.

An everyday run asks each promise once, where it is cheapest; these ask it of every page, route,
column, statement or command, or look at distributions for minutes. A path that is named on the
command line runs all that it holds.
"""

# On both profiles, or on SQLite alone where `tests.both_profiles` says so. Folders, files, and
# single tests of a file, as pytest names them.
THOROUGH = (
    # Every page, in both themes and languages and two widths, under axe.
    "journeys/test_every_page.py",
    "journeys/test_german.py",
    "journeys/test_layout_shift.py",
    "journeys/test_pages_on_the_way.py",
    # Every task of docs/tasks.md with its clicks, every step of a tutorial and control of a lesson.
    "journeys/tasks",
    "journeys/test_lessons.py",
    "journeys/test_tutorials.py",
    # Ways through a browser, but for those of the main job, of the keyboard and of the notebook.
    # What stands behind them is asked without one: questions of every kind, files and surveys.
    "integration/dashboards/test_charts_in_browser.py",
    "journeys/asking",
    "journeys/files",
    "journeys/regression",
    "journeys/surveys",
    "journeys/tables",
    "journeys/test_many_columns.py",
    "journeys/test_paper.py",
    "journeys/test_passkey.py",
    "journeys/test_reading.py",
    # Several products, workers or machines at once, some of which die.
    "integration/datasets/arrivals/test_real_reader.py",
    "integration/datasets/arrivals/test_deaths.py",
    "integration/datasets/derived/test_deriving.py::test_a_worker_that_dies_at_any_statement_leaves_it_to_another",
    "integration/datasets/store/test_machines.py",
    "integration/datasets/store/test_copies.py",
    "integration/datasets/store/test_moving.py",
    "integration/datasets/store/test_not_moved.py",
    "integration/datasets/store/test_several_files.py",
    "integration/joint/test_workers.py",
    "integration/operation/test_late_database.py",
    "integration/queries/answering/test_chaos.py",
    "integration/queries/answering/test_heartbeat.py::test_a_sweeper_on_one_machine_is_seen_from_another_and_so_is_its_end",
    "integration/queries/answering/test_heartbeat.py::test_its_word_holds_for_one_grace",
    "integration/queries/answering/test_messages.py::test_pauses_between_messages_for_one_question_double_up_to_five_minutes",
    "integration/queries/answering/test_rolling.py",
    "integration/queries/answering/test_unseen.py::test_real_workers_one_of_them_without_the_files_answer_everything",
    "journeys/joint",
    "journeys/live",
    # Files that are made, read and compared by the dozen: every way in which two resemble each
    # other, and every way to put two together. One of each is compared and derived every day.
    "integration/datasets/derived/test_status.py",
    "integration/datasets/web/test_status.py",
    "unit/engines/deriving/test_deriving.py::test_what_the_declared_numbers_allow_is_made_whoever_is_in_both",
    "unit/engines/packed/test_hostile_archives.py::test_files_that_are_larger_than_the_memory_are_read",
    "unit/engines/test_counts.py::test_random_tables_are_recognised_and_others_are_not",
    "unit/engines/test_likeness.py",
    # Distributions by many thousands of draws. Sensitivities are exact, and in tests/unit.
    "statistical/test_accuracy.py",
    "statistical/test_choices.py::test_the_scores_of_neighbours_cannot_be_told_apart_better_than_promised",
    "statistical/test_choices.py::test_the_same_test_rejects_choices_with_too_little_noise",
    "statistical/test_choices.py::test_two_rows_more_are_not_seen_in_a_quantile_or_extreme",
    "statistical/test_choices.py::test_two_rows_more_are_seen_in_a_median_with_an_eighth_of_the_noise",
    "statistical/test_indistinguishable.py",
    "statistical/test_joint.py",
    "statistical/test_local.py::test_the_command_line_gives_away_what_is_charged_and_nearly_all_of_it",
    "statistical/test_noise.py::test_no_output_is_possible_under_one_neighbour_only",
    "statistical/test_rectangles.py",
    "statistical/test_table_sets.py",
    "unit/privacy/accounting/test_comparison.py::test_the_reading_of_rho_is_the_tight_conversion_for_500_mixes",
    "unit/privacy/mechanisms/test_logistic_errors.py",
    "unit/privacy/reuse/test_derived_intervals.py",
    "integration/noise_check/test_runs.py",
    # Every statement, neighbour, nano, route with two roles, method that a route has not, and what
    # a program or an attacker may send to any of them. No guard of the database is there in vain.
    "integration/access/api/test_nul.py",
    "integration/access/audience/test_outsiders.py",
    "integration/access/pages/test_nul.py::test_no_page_looks_for_what_an_address_spells_with_it",
    "integration/access/pages/test_nul.py::test_no_form_falls_over_it",
    "integration/access/pages/test_nul.py::test_a_draft_is_kept_without_it_whatever_field_held_it",
    "integration/access/test_bombs_at_the_doors.py",
    "integration/access/test_every_route.py::test_an_open_route_breaks_for_nobody",
    "integration/access/test_every_route.py::test_a_method_that_a_route_has_not_lets_in_nobody",
    "integration/access/test_every_route.py::test_whom_a_route_refuses_it_refuses_whatever_they_name",
    "integration/access/test_headers.py",
    "integration/access/test_the_schema.py",
    "integration/access/test_two_roles.py",
    "integration/budgets/test_arithmetic.py::test_a_million_charges_of_one_nano_add_up_exactly",
    "integration/budgets/test_allocations.py::test_the_dataset_binds_whatever_the_allocations_add_up_to",
    "integration/datasets/joins/test_crashes.py",
    "integration/joint/test_crashes.py",
    "integration/queries/web/test_brought_along.py",
    "integration/language/test_downloads.py::test_every_file_has_the_same_bytes_for_every_reader",
    "integration/language/test_nothing_is_left_in_english.py",
    "integration/language/test_what_is_kept_is_english.py",
    "integration/queries/answering/test_crashes.py",
    "integration/queries/answering/test_same_for_neighbours_everywhere.py",
    "integration/surveys/test_crashes.py",
    "integration/tenants/wall/test_stolen_password.py::test_without_any_one_of_the_guards_something_would_be_carried_out",
    # Tools over all of the code; scripts, images and commands of the documentation, on machines of
    # their own.
    "house/deployment/test_image.py",
    "house/test_tools.py",
    "integration/bench",
    "integration/operation/test_debian.py",
)
