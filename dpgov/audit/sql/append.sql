-- One entry at the end of a tenant's log, in one statement and in the caller's transaction.
--
-- The head's row lock orders the writers and is held until they commit, so that the numbers have
-- no gap. The canonical JSON is put together here, because only here the number and the moment are
-- known: the three fragments are the rest of it, as dpgov/audit/entry.py makes them.
-- Runs with the owner's rights, so that nobody else can write entries or move heads;
-- row-level security still lets it write for the acting tenant only.
CREATE OR REPLACE FUNCTION audit_append(
    p_tenant_id uuid,
    p_actor_kind text,
    p_actor_id text,
    p_actor_label text,
    p_action text,
    p_subject text,
    p_dataset text,
    p_detail text,
    p_before_at text,
    p_before_sequence text,
    p_rest text,
    p_at timestamptz DEFAULT NULL
) RETURNS TABLE (new_id bigint, new_sequence bigint, new_at timestamptz, new_leaf_hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $function$
BEGIN
    UPDATE audit_audithead SET sequence = sequence + 1
        WHERE tenant_id = p_tenant_id RETURNING sequence INTO new_sequence;
    IF NOT FOUND THEN
        INSERT INTO audit_audithead AS head (tenant_id, sequence) VALUES (p_tenant_id, 1)
            ON CONFLICT (tenant_id) DO UPDATE SET sequence = head.sequence + 1
            RETURNING head.sequence INTO new_sequence;
    END IF;
    new_at := coalesce(p_at, clock_timestamp());
    new_leaf_hash := sha256('\x00'::bytea || convert_to(
        p_before_at || to_char(new_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
            || '+00:00' || p_before_sequence || new_sequence || p_rest,
        'UTF8'));
    INSERT INTO audit_auditentry (
        tenant_id, sequence, at, actor_kind, actor_id, actor_label, action, subject, dataset,
        detail, leaf_hash
    ) VALUES (
        p_tenant_id, new_sequence, new_at, p_actor_kind, p_actor_id, p_actor_label, p_action,
        p_subject, p_dataset, p_detail, new_leaf_hash
    ) RETURNING id INTO new_id;
    RETURN NEXT;
END $function$;
