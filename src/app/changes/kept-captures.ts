// The captures that a peer keeps, as the search for changes that were not told needs them.

import { type KeptCapture, LateCaptures, type LateLog } from '../../changes/late-captures.ts'
import { isClear } from '../../changes/missed-changes.ts'
import type { Sighting } from '../../changes/page-state.ts'
import { type RingKey, ringKeyBytes } from '../../model/ring-key.ts'
import type { Url } from '../../model/url/url.ts'
import { printUuid } from '../../model/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import { sightingOf } from '../crawl/store-archive.ts'

interface Needs {
  readonly clock: Clock
  readonly log: LateLog
  readonly store: Pick<Store, 'scan' | 'versions'>
  readonly network: {
    spread(capture: Pick<Capture, 'cursor' | 'recordId'>): Promise<void>
    onCopy(listener: (site: RingKey) => void): void
  }
}

/** Versions that are looked past for one that says what the page was. */
const looksMax = 16

export function lateCapturesOf({ clock, log, store, network }: Needs): LateCaptures {
  const late = new LateCaptures({
    clock,
    log,
    captures: function* (site, page) {
      for (const capture of store.scan({ kind: 'ring', ...ringRangeOf(site) }, page)) yield keptOf(capture)
    },
    before: (url, atMs) => before(store, url, atMs),
    spread: ({ cursor, sighting }) => network.spread({ cursor, recordId: printUuid(sighting.id) }),
  })
  network.onCopy((site) => late.arrived(site))
  return late
}

function keptOf(capture: Capture): KeptCapture {
  const { url, surt, cursor, importedBy } = capture
  return { url, surt, cursor, isImported: importedBy !== undefined, sighting: sightingOf(capture) }
}

function before(store: Pick<Store, 'versions'>, url: Url, atMs: number): Sighting | undefined {
  for (const capture of store.versions(url, { toMs: atMs, reverse: true, limit: looksMax })) {
    const sighting = sightingOf(capture)
    if (capture.url === url.href && capture.importedBy === undefined && isClear(sighting)) return sighting
  }
  return undefined
}

/** All ring keys that begin with these bytes. */
function ringRangeOf(site: string): { from: RingKey; to?: RingKey } {
  const first = Buffer.from(site, 'latin1').toString('hex')
  const next = (BigInt(`0x${first}`) + 1n).toString(16).padStart(first.length, '0')
  const whole = (digits: string) => digits.padEnd(2 * ringKeyBytes, '0') as RingKey
  return next.length > first.length ? { from: whole(first) } : { from: whole(first), to: whole(next) }
}
