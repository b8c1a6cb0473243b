-- More of every hold of one query, on PostgreSQL; `services/portable.py` does the same on SQLite.
--
-- Like the other steps (ledger.sql): with the owner's rights, budgets locked in the order of their
-- ids, everything checked under those locks before anything is written. What is added counts in the
-- window of a rate in which the query itself counts.
CREATE OR REPLACE FUNCTION budgets_extend(
    p_query uuid, p_amount bigint,
    OUT refusal text, OUT budget uuid, OUT available bigint, OUT period text,
    OUT budgets uuid[], OUT amounts bigint[], OUT factors smallint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_parents uuid[];
    v record;
BEGIN
    IF p_amount <= 0 THEN
        RAISE EXCEPTION 'a hold is not extended by %', p_amount;
    END IF;
    SELECT l.budgets, l.factors, l.parents INTO budgets, factors, v_parents
    FROM budgets_lock_holds(p_query) l;
    IF budgets IS NULL THEN
        refusal := 'nothing';
        RETURN;
    END IF;
    -- Who came to share a budget since it was held, or was divided: what is added would not count there.
    IF budgets_forgot(budgets || v_parents, budgets) THEN
        refusal := 'moved';
        RETURN;
    END IF;
    SELECT array_agg(factor * p_amount ORDER BY place) INTO amounts
    FROM unnest(factors) WITH ORDINALITY AS f (factor, place);
    FOR v IN
        SELECT b.id, b.frozen_at, b.closed_at, line.amount,
               b.limit_nano - b.spent_nano - b.reserved_nano AS left_over
        FROM budgets_budget b
        LEFT JOIN unnest(budgets, amounts) AS line (budget_id, amount) ON line.budget_id = b.id
        WHERE b.id = ANY (budgets || v_parents) ORDER BY b.id
    LOOP
        IF v.frozen_at IS NOT NULL THEN
            refusal := 'frozen';
            budget := v.id;
            available := NULL;
            RETURN;
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
    IF refusal IS NOT NULL THEN
        RETURN;
    END IF;
    FOR v IN
        SELECT r.budget_id, r.period, line.amount, r.limit_nano - r.taken_nano AS left_over
        FROM budgets_ratelimit r
        JOIN unnest(budgets, amounts) AS line (budget_id, amount) ON line.budget_id = r.budget_id
        JOIN budgets_reservation h ON h.query_id = p_query AND h.budget_id = r.budget_id
        WHERE r.window_start = budgets_window(r.period, h.counted_on)
    LOOP
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

    UPDATE budgets_ratelimit r SET taken_nano = r.taken_nano + line.amount
    FROM unnest(budgets, amounts) AS line (budget_id, amount), budgets_reservation h
    WHERE r.budget_id = line.budget_id AND h.query_id = p_query AND h.budget_id = r.budget_id
      AND r.window_start = budgets_window(r.period, h.counted_on);
    UPDATE budgets_reservation h SET amount_nano = h.amount_nano + line.amount
    FROM unnest(budgets, amounts) AS line (budget_id, amount)
    WHERE h.query_id = p_query AND h.budget_id = line.budget_id;
    UPDATE budgets_budget b SET reserved_nano = b.reserved_nano + line.amount
    FROM unnest(budgets, amounts) AS line (budget_id, amount)
    WHERE b.id = line.budget_id;
    IF v_parents IS NOT NULL THEN
        PERFORM budgets_follow_lines(v_parents);
    END IF;
END $$;
