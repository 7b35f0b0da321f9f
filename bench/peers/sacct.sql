-- SPDX-License-Identifier: Apache-2.0
-- What the first screen of `tare report` says of an accounting dump, in DuckDB's SQL. $FILE is replaced by the runner.
-- Where SQL could be exact or fast, it is fast: a TRES list with two GPU types would be miscounted here.
CREATE TEMP TABLE rows AS
SELECT "User" AS who, Submit, Eligible, Start, "End", Elapsed, State, AllocTRES
FROM read_csv('$FILE', delim = '|', header = true, all_varchar = true, quote = '', escape = '', auto_detect = false,
	columns = {'JobID': 'VARCHAR', 'JobIDRaw': 'VARCHAR', 'JobName': 'VARCHAR', 'User': 'VARCHAR', 'Account': 'VARCHAR',
		'Partition': 'VARCHAR', 'QOS': 'VARCHAR', 'Cluster': 'VARCHAR', 'Submit': 'VARCHAR', 'Eligible': 'VARCHAR',
		'Start': 'VARCHAR', 'End': 'VARCHAR', 'Elapsed': 'VARCHAR', 'State': 'VARCHAR', 'ExitCode': 'VARCHAR',
		'ReqTRES': 'VARCHAR', 'AllocTRES': 'VARCHAR', 'NNodes': 'VARCHAR', 'NCPUS': 'VARCHAR', 'NodeList': 'VARCHAR',
		'Priority': 'VARCHAR', 'Reason': 'VARCHAR', 'Restarts': 'VARCHAR'},
	store_rejects = true)
WHERE NOT contains(JobID, '.');

CREATE TEMP TABLE jobs AS
WITH parsed AS (
	SELECT who,
		epoch(TRY_CAST(Submit AS TIMESTAMP))::BIGINT AS submit_s,
		epoch(TRY_CAST(Eligible AS TIMESTAMP))::BIGINT AS eligible_s,
		epoch(TRY_CAST(Start AS TIMESTAMP))::BIGINT AS start_s,
		epoch(TRY_CAST("End" AS TIMESTAMP))::BIGINT AS end_s,
		split_part(State, ' ', 1) AS state,
		CASE WHEN contains(AllocTRES, 'gres/gpu=') THEN split_part(split_part(AllocTRES, 'gres/gpu=', 2), ',', 1)::BIGINT
			WHEN contains(AllocTRES, 'gres/gpu:')
				THEN split_part(split_part(split_part(AllocTRES, 'gres/gpu:', 2), '=', 2), ',', 1)::BIGINT
			ELSE 0 END AS gpus,
		CASE WHEN State = 'RUNNING' THEN
			CASE WHEN contains(Elapsed, '-') THEN split_part(Elapsed, '-', 1)::BIGINT * 86400 ELSE 0 END
			+ epoch(right(Elapsed, 8)::TIME)::BIGINT END AS elapsed_s
	FROM rows
), dump AS (
	SELECT greatest(max(submit_s), max(start_s), max(end_s), max(start_s + elapsed_s)) AS as_of FROM parsed
)
SELECT who, eligible_s, start_s, coalesce(end_s, as_of) AS end_s, state, gpus
FROM parsed, dump;

-- figures: name, value
SELECT 'rejects' AS name, count(DISTINCT line)::DOUBLE AS value FROM reject_errors
UNION ALL SELECT 'jobs', count(*) FROM jobs
UNION ALL SELECT 'paid', sum(gpus * (end_s - start_s))::BIGINT FROM jobs WHERE start_s IS NOT NULL
UNION ALL SELECT 'outcome ' || state, sum(gpus * (end_s - start_s))::BIGINT FROM jobs WHERE start_s IS NOT NULL GROUP BY state
UNION ALL SELECT 'interrupted', sum(gpus * (end_s - start_s))::BIGINT FROM jobs WHERE state IN ('NODE_FAIL', 'PREEMPTED')
UNION ALL SELECT 'wait p50', quantile_cont(start_s - eligible_s, 0.50) FROM jobs WHERE gpus > 0
UNION ALL SELECT 'wait p95', quantile_cont(start_s - eligible_s, 0.95) FROM jobs WHERE gpus > 0
UNION ALL SELECT 'wait p99', quantile_cont(start_s - eligible_s, 0.99) FROM jobs WHERE gpus > 0
UNION ALL SELECT 'wait max', max(start_s - eligible_s) FROM jobs WHERE gpus > 0
UNION ALL SELECT 'wait weighted', sum((start_s - eligible_s) * gpus) / sum(gpus) FROM jobs WHERE start_s IS NOT NULL
UNION ALL SELECT 'concurrency max', max(held)::BIGINT FROM (
	SELECT sum(change) OVER (ORDER BY t, change ROWS UNBOUNDED PRECEDING) AS held FROM (
		SELECT start_s AS t, gpus AS change FROM jobs WHERE start_s < end_s AND gpus > 0
		UNION ALL SELECT end_s, -gpus FROM jobs WHERE start_s < end_s AND gpus > 0))
UNION ALL SELECT 'user ' || who, held::BIGINT FROM (
	SELECT who, sum(gpus * (end_s - start_s)) AS held FROM jobs WHERE start_s IS NOT NULL
	GROUP BY who ORDER BY held DESC, who LIMIT 10);
