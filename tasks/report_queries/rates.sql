-- Benefit rates.
SELECT model, reference, tasks, gain, gain_lo, gain_hi, reference_gain, hbr, hbr_lo, hbr_hi,
       hbr_headroom, status, activation, following
FROM benefit_rates WHERE cycle_id = ? ORDER BY model, reference
