// Politeness rules: how hard a host and an address may be hit. Each says what it trades.

export interface PolitenessRules {
  /** The pause after a response lasts so many times as long as the response did: a slow host gets longer ones. */
  readonly delayFactor: number
  /** Bounds of that pause. */
  readonly delayMsMin: number
  readonly delayMsMax: number
  /** Instead of that pause when given (`--delay`). Robots' crawl-delay counts in any case. */
  readonly delayMs: number | undefined
  /** A longer crawl-delay is taken for this: some ask for days, by mistake or to be left alone. */
  readonly crawlDelayMsMax: number
  /** Requests at once to one host. More than 1 is for one's own servers and for benchmarks. */
  readonly perHostMax: number
  /** Requests at once to one address: hundreds of hosts may share a small machine. */
  readonly perAddressMax: number
  /** Pause after a response of an address before it is asked again, by whatever host name. */
  readonly addressDelayMs: number
  /** A longer Retry-After is taken for this: within it the host's word is law, but a year is a mistake. */
  readonly retryAfterMsMax: number
  /** The pause after the first failure in a row, or 429 or 503 without Retry-After; doubled with each further one. */
  readonly backOffMsFirst: number
  readonly backOffMsMax: number
  /** After so many failures in a row a host counts as down, and what is queued for it is given up. */
  readonly failuresMax: number
  /** A URL is asked for at most so often. */
  readonly attemptsMax: number
  /** A job that has nothing left but to try again what failed waits this long for it after its other work: longer gets
   * more of hosts in trouble, shorter ends jobs sooner. */
  readonly retryWaitMs: number
  /** What a rule of the archive asks for this host: no pause is shorter. */
  readonly ruleDelayMs?: number | undefined
}

/** The same towards one host, as far as a rule asks for more. */
export function politenessTo(
  rules: PolitenessRules,
  { delayMs }: { readonly delayMs: number },
): PolitenessRules {
  return delayMs === 0 ? rules : { ...rules, ruleDelayMs: delayMs }
}

const minuteMs = 60_000

export const politenessDefault: PolitenessRules = {
  delayFactor: 5,
  delayMsMin: 1_000,
  delayMsMax: 30_000,
  delayMs: undefined,
  crawlDelayMsMax: 5 * minuteMs,
  perHostMax: 1,
  perAddressMax: 2,
  addressDelayMs: 250,
  retryAfterMsMax: 24 * 60 * minuteMs,
  backOffMsFirst: 10_000,
  backOffMsMax: 30 * minuteMs,
  failuresMax: 6,
  attemptsMax: 4,
  retryWaitMs: minuteMs,
}

/** For one's own servers and for benchmarks. Crawl-delay and Retry-After are still honoured where the site sends them, also
 * those of an earlier run; our own back-off from failures is not kept beyond the run. */
export const politenessOff: PolitenessRules = {
  ...politenessDefault,
  delayMs: 0,
  perHostMax: 1_000,
  perAddressMax: Number.POSITIVE_INFINITY,
  addressDelayMs: 0,
}
