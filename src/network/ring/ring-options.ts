// The ring's settings, each with what it trades.

export interface RingOptions {
  networkId: string
  /** Positions of this peer, 1 to 16: more take a larger and evener share, and cost upkeep each. */
  positions: number
  /** Which places of its ticket it begins with; the first ones, as many as `positions`, when not given. */
  places?: readonly number[] | undefined
  /** `invited`: places come from tickets. `open`: from the observed IP address, proven with a nonce. */
  kind: 'invited' | 'open'
  /** Successors kept: the ring survives that many neighbouring deaths at once. 2·log2 of the largest ring expected. */
  successorsMax: number
  /** Copies of everything, the owner's among them. */
  replicas: number
  /** How often a position asks its successor: a dead neighbour is noticed about this much later; costs upkeep. */
  stabiliseMs: number
  /** How often a finger is checked: only speed depends on it. */
  fingerMs: number
  /** How often peers that were lost are tried again, so that we look ourselves up through one that answers: partitions heal
   * a few times this fast; costs a small message each time, as long as any is remembered that does not answer. */
  mergeMs: number
  /** How long we own a key after the successor last agreed, and how long an heir waits: the keys of one that died have no
   * owner that long. Several rounds, or a few late answers end our ownership. */
  ownershipMs: number
  /** Round trips give time-outs within these. */
  timeoutMsMin: number
  timeoutMsMax: number
  /** Before anything was measured, of this peer or any. */
  timeoutMsFirst: number
  /** Silence after so many tries, each twice as long as the last, is death. */
  tries: number
  lookupMs: number
  /** Positions remembered to look up in one hop; about 200 bytes each. */
  cacheMax: number
  /** Peers remembered across restarts and partitions. */
  rememberedMax: number
}

export const ringOptionsDefault: Omit<RingOptions, 'networkId'> = {
  positions: 1,
  kind: 'invited',
  successorsMax: 16,
  replicas: 3,
  stabiliseMs: 1_000,
  fingerMs: 10_000,
  mergeMs: 1_000,
  ownershipMs: 5_000,
  timeoutMsMin: 300,
  timeoutMsMax: 1_400,
  timeoutMsFirst: 500,
  tries: 3,
  lookupMs: 20_000,
  cacheMax: 32_768,
  rememberedMax: 256,
}
