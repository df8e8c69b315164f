// Page state: what the last event of a URL said of it, and what the next capture is an event of, if of anything.
//
// Captures are compared with this, not with the last capture in the store: a capture whose event was lost with a process is
// compared again at the next visit, and then becomes one.
// Of a page that a browser shows its words count beside its bytes: scripts may write another page into the same bytes.
// What shows something: an answer of the 200s, one that says that nothing has changed, a redirect that leads somewhere. A page is
// gone when its server says so (404, 410), or when five visits in a row brought nothing.

import { choice, counter, number, sha256Digest, text } from '../formats/wire/message-fields.ts'
import { joined, marked, type Out, record } from '../formats/wire/message-schema.ts'
import type { Digest } from '../model/digest.ts'
import type { ChangeDetails, ChangeEvent, ChangeKind } from './change-event.ts'

/** A capture that is kept, as far as it matters here. */
export interface Sighting {
  /** 16 bytes: the event's id. */
  readonly id: Uint8Array
  readonly atMs: number
  readonly status: number
  readonly mime: string
  readonly digest: Digest | undefined
  readonly bytes: number
  /** Where it redirects to. */
  readonly target?: string | undefined
  /** Of the words that a browser read; undefined when none showed it. */
  readonly words?: Digest | undefined
}

/** A visit that brought nothing. */
export interface FailedVisit {
  readonly id: Uint8Array
  readonly atMs: number
  readonly status?: number | undefined
}

export interface PageChange
  extends ChangeDetails,
    Pick<
      ChangeEvent,
      'kind' | 'status' | 'mime' | 'bytesBefore' | 'bytes' | 'targetBefore' | 'target' | 'failures'
    > {
  readonly id: Uint8Array
  readonly atMs: number
  readonly digestBefore?: Digest | undefined
  readonly digest?: Digest | undefined
}

const urlBytesMax = 64 * 1024
const failuresForGone = 5

export const pageStateCoding = joined(
  record({
    is: choice(['shown', 'gone']),
    /** Of the capture that the last event was of. */
    atMs: counter,
    /** Visits in a row that brought nothing. */
    failures: number(255),
  }),
  marked({ digest: sha256Digest, bytes: counter, target: text(urlBytesMax), words: sha256Digest }),
)
export type PageState = Out<typeof pageStateCoding>

interface Noted {
  /** The same object where nothing has changed. */
  readonly state: PageState | undefined
  readonly change?: PageChange
}

export function noteSighting(state: PageState | undefined, sighting: Sighting): Noted {
  const { status, target, digest } = sighting
  if (status === 404 || status === 410) return gone(state, sighting)
  const isRedirect = target !== undefined
  if (status >= 400 || (status >= 300 && status !== 304 && !isRedirect)) return noteFailure(state, sighting)
  const isTold = digest !== undefined || sighting.words !== undefined
  if (!isTold && !isRedirect) return { state: state && withoutFailures(state) }
  if (state !== undefined && state.is === 'shown' && isSame(state, sighting))
    return { state: withWords(withoutFailures(state), sighting) }
  return { state: stateOf(sighting, state), change: changeOf(kindOf(state, sighting), state, sighting) }
}

export function noteFailure(state: PageState | undefined, { id, atMs, status }: FailedVisit): Noted {
  if (state === undefined || state.is === 'gone') return { state }
  const failures = state.failures + 1
  if (failures < failuresForGone) return { state: { ...state, failures } }
  return {
    state: { ...state, is: 'gone', atMs, failures },
    change: { kind: 'gone', id, atMs, status, failures, ...before(state) },
  }
}

function stateOf({ atMs, digest, bytes, target, words }: Sighting, before: PageState | undefined): PageState {
  const known = digest ?? (words && before?.digest)
  return { is: 'shown', atMs, failures: 0, digest: known, bytes, target, words: words ?? before?.words }
}

function gone(state: PageState | undefined, { id, atMs, status }: Sighting): Noted {
  if (state === undefined || state.is === 'gone') return { state }
  return {
    state: { ...state, is: 'gone', atMs },
    change: { kind: 'gone', id, atMs, status, ...before(state) },
  }
}

function isSame(state: PageState, { digest, target, words }: Sighting): boolean {
  // What a redirect says beside its target is nobody's page.
  if (target !== undefined || state.target !== undefined) return target === state.target
  return isSameDigest(state.digest, digest) && (!words || !state.words || isSameDigest(state.words, words))
}

/** What a server said (304) has no digest where it has not changed. */
function isSameDigest(one: Digest | undefined, other: Digest | undefined): boolean {
  if (other === undefined) return true
  return one !== undefined && Buffer.compare(one.bytes, other.bytes) === 0
}

function kindOf(state: PageState | undefined, { target }: Sighting): ChangeKind {
  if (state === undefined) return 'new'
  if (state.is === 'gone') return 'back'
  return target === undefined ? 'changed' : 'moved'
}

function changeOf(kind: ChangeKind, state: PageState | undefined, sighting: Sighting): PageChange {
  const { id, atMs, status, mime, digest, bytes, target } = sighting
  const now = target === undefined ? { digest, bytes } : { target }
  return { kind, id, atMs, status, mime, ...now, ...(state && before(state)) }
}

function before({ digest, bytes, target }: PageState): Partial<PageChange> {
  return target === undefined ? { digestBefore: digest, bytesBefore: bytes } : { targetBefore: target }
}

/** A browser showed it for the first time: from now on its words count. */
function withWords(state: PageState, { words }: Sighting): PageState {
  return words === undefined || state.words !== undefined ? state : { ...state, words }
}

function withoutFailures(state: PageState): PageState {
  return state.failures === 0 ? state : { ...state, failures: 0 }
}
