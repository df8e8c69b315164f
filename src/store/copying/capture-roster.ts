// The roster of captures: all that are here, in the order of the ring, by keys that are the same on every peer.
//
// A capture's own key ends in a serial, which comes from the order of arrival; in the roster its record id stands for
// that. So captures of one URL and moment, at most 256, are put in the order of their ids here; all others lie in the order
// of the index already.

import { ringKeyBytes } from '../../model/ring-key.ts'
import type { Range } from '../../platform/storage/key-value.ts'
import { recordIdBytes } from '../index/capture-entry.ts'
import { afterPrefix, parseCaptureKey, timeBytes } from '../index/capture-key.ts'
import type { StoreIndex } from '../index/store-index.ts'

export interface RosterEntry {
  /** Ring key, SURT, time, record id. */
  readonly key: Uint8Array
  /** The record id. */
  readonly id: Uint8Array
}

export class CaptureRoster {
  readonly #index: StoreIndex

  constructor(needs: { index: StoreIndex }) {
    this.#index = needs.index
  }

  /** Bounds may be of any length, as those that others make up. */
  *entries({ from, to, reverse = false, limit = Number.POSITIVE_INFINITY }: Range): Iterable<RosterEntry> {
    let left = limit
    if (left <= 0) return
    for (const entry of this.#inOrder({ ...indexRange(from, to), reverse }, reverse)) {
      const isOutside =
        (from !== undefined && Buffer.compare(entry.key, from) < 0) ||
        (to !== undefined && Buffer.compare(entry.key, to) >= 0)
      if (isOutside) continue
      yield entry
      if (--left <= 0) return
    }
  }

  /** The capture's name in this store; undefined when it is not here. */
  cursorOf(key: Uint8Array): string | undefined {
    if (key.length <= recordIdBytes) return undefined
    const [moment, id] = [key.subarray(0, -recordIdBytes), key.subarray(-recordIdBytes)]
    // Nearly always it is the only one of its moment, and one look finds it.
    const first = Buffer.concat([moment, Uint8Array.of(0)])
    const firstId = this.#index.captureId(first)
    if (firstId !== undefined && Buffer.compare(firstId, id) === 0) return first.toString('base64url')
    const to = afterPrefix(moment)
    for (const [found, recordId] of this.#index.captureIds({ from: moment, ...(to && { to }) })) {
      if (found.length === moment.length + 1 && Buffer.compare(recordId, id) === 0) {
        return Buffer.from(found).toString('base64url')
      }
    }
    return undefined
  }

  momentOf(key: Uint8Array): number {
    return parseCaptureKey(indexKeyOf(key)).capturedAtMs
  }

  *#inOrder(range: Range, isReverse: boolean): Iterable<RosterEntry> {
    let sameMoment: RosterEntry[] = []
    for (const [key, id] of this.#index.captureIds(range)) {
      const entry = { key: rosterKey(key, id), id }
      if (sameMoment.length > 0 && !isSameMoment(sameMoment[0]!, entry)) {
        yield* sorted(sameMoment, isReverse)
        sameMoment = []
      }
      sameMoment.push(entry)
    }
    yield* sorted(sameMoment, isReverse)
  }
}

/** `key`: of the index. */
export function rosterKey(key: Uint8Array, recordId: Uint8Array): Uint8Array {
  const made = new Uint8Array(key.length - 1 + recordIdBytes)
  made.set(key.subarray(0, -1))
  made.set(recordId, key.length - 1)
  return made
}

/** Of the first capture of that moment. */
function indexKeyOf(key: Uint8Array): Uint8Array {
  const made = new Uint8Array(key.length - recordIdBytes + 1)
  made.set(key.subarray(0, -recordIdBytes))
  return made
}

/** What of the index a range of the roster may lie in: whole moments. */
function indexRange(from: Uint8Array | undefined, to: Uint8Array | undefined): Range {
  const start = from?.subarray(0, momentLength(from))
  const end = to && momentLength(to) < to.length ? afterPrefix(to.subarray(0, momentLength(to))) : to
  return { ...(start && start.length > 0 && { from: start }), ...(end && { to: end }) }
}

/** How much of a bound is ring key, SURT and time. */
function momentLength(bound: Uint8Array): number {
  const surtEnd = bound.indexOf(0, ringKeyBytes)
  return surtEnd < 0 ? bound.length : Math.min(bound.length, surtEnd + 1 + timeBytes)
}

function isSameMoment({ key: one }: RosterEntry, { key: other }: RosterEntry): boolean {
  if (one.length !== other.length) return false
  return Buffer.compare(one.subarray(0, -recordIdBytes), other.subarray(0, -recordIdBytes)) === 0
}

function sorted(entries: RosterEntry[], isReverse: boolean): RosterEntry[] {
  if (entries.length < 2) return entries
  const sign = isReverse ? -1 : 1
  return entries.sort((one, other) => sign * Buffer.compare(one.id, other.id))
}
