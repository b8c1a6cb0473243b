-- The steps of the ledger on PostgreSQL, each one round trip. `services/portable.py` does the same
-- with the ORM for SQLite; the same tests run on both.
--
-- They run with the rights of the owner, so that the application's role needs no right to write
-- counters, holds or charges itself; row-level security still shows them the acting tenant only.
-- Budgets are locked in the order of their ids, hence no deadlock. Everything is checked under
-- those locks before anything is written: a refusal changes nothing.
-- `p_now` is for tests of windows; left out, it is this moment by the database's clock. A budget's
-- windows are those of the latest day on which anything was counted there (`counted_on`, which a
-- trigger keeps from going back): a clock that was ahead gives none a second time.
--
-- Plans are kept: for arrays the database would make a new plan at each call, which took twice as
-- long as the step itself. The small functions within run with the rights of the step that calls
-- them, and give the application nothing.

CREATE OR REPLACE FUNCTION budgets_window(p_period text, p_today date) RETURNS date
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_period WHEN 'day' THEN p_today
                         ELSE date_trunc(p_period, p_today::timestamp)::date END
$$;

-- A dataset with parts has the counters of its largest part. The caller holds its lock.
CREATE OR REPLACE FUNCTION budgets_follow_lines(p_parents uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE budgets_budget dataset
    SET spent_nano = lines.spent, reserved_nano = lines.committed - lines.spent
    FROM (SELECT part.dataset_budget_id, max(line.spent_nano) AS spent,
                 max(line.spent_nano + line.reserved_nano) AS committed
          FROM budgets_budgetpart part JOIN budgets_budget line ON line.id = part.budget_id
          WHERE part.dataset_budget_id = ANY (p_parents)
          GROUP BY part.dataset_budget_id) lines
    WHERE dataset.id = lines.dataset_budget_id
$$;

CREATE OR REPLACE FUNCTION budgets_parents(p_budgets uuid[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN array_agg(DISTINCT dataset_budget_id) FROM budgets_budgetpart
    WHERE budget_id = ANY (p_budgets);
END $$;

-- Whether a question on these budgets of datasets and parts is to be charged to one that is not among
-- `p_charged`: one that they share, or, as what was derived from two datasets is charged to both, one
-- of the parts of a parent. Who has which parents never changes.
CREATE OR REPLACE FUNCTION budgets_forgot(p_budgets uuid[], p_charged uuid[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM budgets_sharedbudgetmember m
        WHERE m.dataset_budget_id = ANY (p_budgets) AND m.left_at IS NULL
          AND m.shared_budget_id <> ALL (p_charged)
    ) OR EXISTS (
        SELECT 1 FROM budgets_derivedbudget d
        LEFT JOIN budgets_budgetpart part ON part.dataset_budget_id = d.parent_id
        WHERE d.budget_id = ANY (p_budgets)
          AND coalesce(part.budget_id, d.parent_id) <> ALL (p_charged)
    );
END $$;

-- A step is about a question that is there, and the acting tenant's; only the owner of the tables
-- may take one that is not. Called by the steps, and so with the owner's rights.
CREATE OR REPLACE FUNCTION budgets_check_question(p_query uuid, p_tenant uuid, p_unopened boolean)
RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF session_user <> current_user AND NOT EXISTS (
        SELECT 1 FROM queries_query q
        WHERE q.id = p_query AND q.tenant_id = p_tenant AND q.tenant_id = dpgov_tenant()
          AND NOT (p_unopened AND q.opened_at IS NOT NULL)
    ) THEN
        RAISE EXCEPTION 'no question of this tenant allows this step'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
END $$;

CREATE OR REPLACE FUNCTION budgets_reserve(
    p_query uuid, p_tenant uuid, p_budgets uuid[], p_amounts bigint[], p_factors smallint[],
    p_zone text, p_now timestamptz DEFAULT NULL,
    OUT refusal text, OUT budget uuid, OUT available bigint, OUT period text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_parents uuid[] := budgets_parents(p_budgets);
    v_now timestamptz := coalesce(p_now, clock_timestamp());
    v_today date := (v_now AT TIME ZONE p_zone)::date;
    v_found integer := 0;
    v_rates boolean := false;
    v record;
BEGIN
    PERFORM budgets_check_question(p_query, p_tenant, true);
    IF EXISTS (SELECT 1 FROM budgets_reservation WHERE query_id = p_query) THEN
        refusal := 'already';
        RETURN;
    END IF;
    FOR v IN
        SELECT b.id, b.limit_nano - b.spent_nano - b.reserved_nano AS left_over, b.frozen_at,
               b.closed_at, line.amount
        FROM budgets_budget b
        LEFT JOIN unnest(p_budgets, p_amounts) AS line (budget_id, amount)
               ON line.budget_id = b.id
        WHERE b.id = ANY (p_budgets || v_parents)
        ORDER BY b.id
        FOR NO KEY UPDATE OF b
    LOOP
        IF v.amount IS NOT NULL THEN
            v_found := v_found + 1;
        END IF;
        IF v.frozen_at IS NOT NULL THEN
            refusal := 'frozen';
            budget := v.id;
            available := NULL;
            EXIT;
        END IF;
        -- Whichever comes first: a freeze ends, and what it keeps waiting must not end with another.
        IF refusal = 'closed' THEN
            CONTINUE;
        END IF;
        IF v.closed_at IS NOT NULL THEN
            refusal := 'closed';
            budget := v.id;
            available := NULL;
            CONTINUE;
        END IF;
        IF v.amount > v.left_over AND (available IS NULL OR v.left_over < available) THEN
            refusal := 'insufficient';
            budget := v.id;
            available := v.left_over;
        END IF;
    END LOOP;
    -- Who shares a budget with whom, and which parts there are, changes under these locks only: seen
    -- from here it is final.
    IF budgets_forgot(p_budgets || v_parents, p_budgets) THEN
        refusal := 'moved';
        RETURN;
    END IF;
    -- A question is held where its data is: on the budget of its dataset, or on lines of that one.
    IF session_user <> current_user AND NOT EXISTS (
        SELECT 1 FROM queries_query q JOIN datasets_dataset d ON d.id = q.dataset_id
        WHERE q.id = p_query AND d.budget_id = ANY (p_budgets || v_parents)
    ) THEN
        refusal := 'moved';
        RETURN;
    END IF;
    IF refusal IN ('frozen', 'closed') THEN
        RETURN;
    END IF;
    IF v_found <> cardinality(p_budgets) OR v_found <> (
        SELECT count(*) FROM budgets_budgetaccess
        WHERE budget_id = ANY (p_budgets) AND tenant_id = p_tenant
    ) THEN
        refusal := 'foreign';
        RETURN;
    END IF;
    IF refusal IS NOT NULL THEN
        RETURN;
    END IF;
    FOR v IN
        SELECT r.budget_id, r.period, line.amount, r.limit_nano - CASE
                   WHEN r.window_start
                        = budgets_window(r.period, greatest(b.counted_on, v_today))
                   THEN r.taken_nano ELSE 0 END AS left_over
        FROM budgets_ratelimit r
        JOIN budgets_budget b ON b.id = r.budget_id
        JOIN unnest(p_budgets, p_amounts) AS line (budget_id, amount)
          ON line.budget_id = r.budget_id
    LOOP
        v_rates := true;
        IF v.amount > v.left_over AND (available IS NULL OR v.left_over < available) THEN
            refusal := 'rate';
            budget := v.budget_id;
            available := greatest(v.left_over, 0);
            period := v.period;
        END IF;
    END LOOP;
    IF refusal IS NOT NULL THEN
        RETURN;
    END IF;

    INSERT INTO budgets_reservation
        (tenant_id, budget_id, query_id, amount_nano, factor, state, created_at, counted_on)
    SELECT p_tenant, line.budget_id, p_query, line.amount, line.factor, 'held', v_now,
           greatest(b.counted_on, v_today)
    FROM unnest(p_budgets, p_amounts, p_factors) AS line (budget_id, amount, factor)
    JOIN budgets_budget b ON b.id = line.budget_id;
    UPDATE budgets_budget b
    SET reserved_nano = b.reserved_nano + line.amount,
        counted_on = greatest(b.counted_on, v_today)
    FROM unnest(p_budgets, p_amounts) AS line (budget_id, amount)
    WHERE b.id = line.budget_id;
    IF v_rates THEN
        UPDATE budgets_ratelimit r
        SET window_start = budgets_window(r.period, b.counted_on),
            taken_nano = line.amount + CASE
                WHEN r.window_start = budgets_window(r.period, b.counted_on) THEN r.taken_nano
                ELSE 0 END
        FROM unnest(p_budgets, p_amounts) AS line (budget_id, amount)
        JOIN budgets_budget b ON b.id = line.budget_id
        WHERE r.budget_id = line.budget_id;
    END IF;
    IF v_parents IS NOT NULL THEN
        PERFORM budgets_follow_lines(v_parents);
    END IF;
END $$;

-- Lock the holds of a query that are still held, then their budgets and parents, in order.
CREATE OR REPLACE FUNCTION budgets_lock_holds(
    p_query uuid, OUT budgets uuid[], OUT amounts bigint[], OUT factors smallint[],
    OUT parents uuid[])
LANGUAGE plpgsql AS $$
BEGIN
    SELECT array_agg(h.budget_id), array_agg(h.amount_nano), array_agg(h.factor)
    INTO budgets, amounts, factors FROM (
        SELECT r.budget_id, r.amount_nano, r.factor FROM budgets_reservation r
        WHERE r.query_id = p_query AND r.state = 'held'
        ORDER BY r.budget_id FOR UPDATE) h;
    IF budgets IS NOT NULL THEN
        parents := budgets_parents(budgets);
        PERFORM 1 FROM budgets_budget b WHERE b.id = ANY (budgets || parents)
        ORDER BY b.id FOR NO KEY UPDATE;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION budgets_settle(
    p_query uuid, p_amount bigint, OUT refusal text, OUT held bigint,
    OUT budgets uuid[], OUT amounts bigint[], OUT factors smallint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_parents uuid[];
BEGIN
    PERFORM budgets_check_question(p_query, dpgov_tenant(), false);
    SELECT l.budgets, l.amounts, l.factors, l.parents INTO budgets, amounts, factors, v_parents
    FROM budgets_lock_holds(p_query) l;
    IF budgets IS NULL THEN
        refusal := 'nothing';
        RETURN;
    END IF;
    SELECT r.amount_nano INTO held FROM budgets_reservation r
    WHERE r.query_id = p_query AND r.state = 'held' AND r.amount_nano <> r.factor * p_amount
    LIMIT 1;
    IF FOUND THEN
        refusal := 'mismatch';
        RETURN;
    END IF;
    WITH ended AS (
        UPDATE budgets_reservation r SET state = 'settled', ended_at = clock_timestamp()
        WHERE r.query_id = p_query AND r.state = 'held'
        RETURNING r.tenant_id, r.budget_id, r.amount_nano
    ), booked AS (
        UPDATE budgets_budget b
        SET reserved_nano = b.reserved_nano - e.amount_nano,
            spent_nano = b.spent_nano + e.amount_nano
        FROM ended e WHERE b.id = e.budget_id
        RETURNING e.tenant_id, b.id, e.amount_nano, b.spent_nano
    )
    INSERT INTO budgets_charge
        (tenant_id, budget_id, query_id, amount_nano, spent_after_nano, created_at)
    SELECT tenant_id, id, p_query, amount_nano, spent_nano, clock_timestamp() FROM booked;
    IF v_parents IS NOT NULL THEN
        PERFORM budgets_follow_lines(v_parents);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION budgets_give_back(
    p_query uuid, p_state text, OUT refusal text,
    OUT budgets uuid[], OUT amounts bigint[], OUT factors smallint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_parents uuid[];
BEGIN
    IF p_state NOT IN ('voided', 'expired') THEN
        RAISE EXCEPTION 'a hold is not given back as %', p_state;
    END IF;
    -- What was opened is charged, whatever became of it.
    PERFORM budgets_check_question(p_query, dpgov_tenant(), true);
    SELECT l.budgets, l.amounts, l.factors, l.parents INTO budgets, amounts, factors, v_parents
    FROM budgets_lock_holds(p_query) l;
    IF budgets IS NULL THEN
        refusal := 'nothing';
        RETURN;
    END IF;
    WITH ended AS (
        UPDATE budgets_reservation r SET state = p_state, ended_at = clock_timestamp()
        WHERE r.query_id = p_query AND r.state = 'held'
        RETURNING r.budget_id, r.amount_nano, r.counted_on
    ), rates AS (
        UPDATE budgets_ratelimit r SET taken_nano = r.taken_nano - e.amount_nano
        FROM ended e
        WHERE r.budget_id = e.budget_id AND r.window_start = budgets_window(r.period, e.counted_on)
    )
    UPDATE budgets_budget b SET reserved_nano = b.reserved_nano - e.amount_nano
    FROM ended e WHERE b.id = e.budget_id;
    IF v_parents IS NOT NULL THEN
        PERFORM budgets_follow_lines(v_parents);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION budgets_correct(
    p_id uuid, p_tenant uuid, p_budget uuid, p_kind text, p_amount bigint, p_query uuid,
    p_source uuid, p_reason text, OUT refusal text, OUT available bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_parents uuid[] := budgets_parents(ARRAY[p_budget]);
    v_spent bigint;
BEGIN
    PERFORM 1 FROM budgets_budget b WHERE b.id = ANY (ARRAY[p_budget] || v_parents)
    ORDER BY b.id FOR NO KEY UPDATE;
    SELECT b.limit_nano - b.spent_nano - b.reserved_nano, b.spent_nano + p_amount
    INTO available, v_spent FROM budgets_budget b WHERE b.id = p_budget;
    IF NOT FOUND THEN
        refusal := 'foreign';
        RETURN;
    END IF;
    IF p_amount > available OR v_spent < 0 THEN
        refusal := 'insufficient';
        RETURN;
    END IF;
    UPDATE budgets_budget SET spent_nano = v_spent WHERE id = p_budget;
    INSERT INTO budgets_correction
        (id, tenant_id, budget_id, kind, amount_nano, spent_after_nano, query_id, source_id,
         reason, created_at)
    VALUES (p_id, p_tenant, p_budget, p_kind, p_amount, v_spent, p_query, p_source, p_reason,
            clock_timestamp());
    IF v_parents IS NOT NULL THEN
        PERFORM budgets_follow_lines(v_parents);
    END IF;
END $$;
