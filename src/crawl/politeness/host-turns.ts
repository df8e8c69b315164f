// Turns at hosts, for requests without a task: robots.txt behind a redirect, what a page in a browser asks for.

import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FetchResult } from '../frontier/fetch-task.ts'

/** Whose turn it is at which host: the frontier knows. */
export interface HostTurns {
  nowMs(): number
  /** When the host may be asked next. */
  allowedAtMs(url: Url): number
  /** A request was made within a turn of the host. */
  asked(url: Url, result: FetchResult): void
  /** Takes a turn of the host, if one is free now; `endTurn` gives it back. */
  beginTurn(url: Url): boolean
  endTurn(url: Url, result: FetchResult | undefined): void
}

/** Who may be asked at an address that several hosts share. */
export interface AddressTurns {
  /** Takes one of its places, if one is free now; `leaveAddress` gives it back. */
  enterAddress(address: string): boolean
  /** `wasAsked`: a request was made there. */
  leaveAddress(address: string, wasAsked: boolean): void
}

/** How often a host that is busy is looked at. */
const lookMs = 100

interface WantedTurn {
  readonly url: Url
  /** The caller has a turn there already, and waits only for the pace. */
  readonly hasTurn: boolean
  readonly waitMsMax: number
}

/** False when that would take too long. */
export async function waitForTurn(
  { pace, clock }: { readonly pace: HostTurns; readonly clock: Clock },
  { url, hasTurn, waitMsMax }: WantedTurn,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const untilMs = pace.nowMs() + waitMsMax
  for (;;) {
    const waitMs = pace.allowedAtMs(url) - pace.nowMs()
    if (waitMs <= 0 && (hasTurn || pace.beginTurn(url))) return true
    if (pace.nowMs() + waitMs >= untilMs) return false
    await clock.sleep(Math.max(waitMs, lookMs), signal)
  }
}
