// Notice kinds: what notices there are, and the bounds of each. A peer takes and keeps notices of registered kinds only: the peers
// of a network are of one version, and what cannot be checked must not be passed on.
//
// Invariant: whether a notice is sound follows from the notice alone, so that all peers decide alike.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { PeerId } from '../../platform/network.ts'
import type { ChargedNotice } from './author-usage.ts'
import { kindBytesMax, type Notice, nameBytesMax, type UnsignedNotice, valueBytesMax } from './notice.ts'

export interface NoticeKind {
  readonly kind: string
  readonly nameBytesMax: number
  readonly valueBytesMax: number
  /** What one author may have stored of this kind. */
  readonly countMax: number
  readonly bytesMax: number
  /** Of these, how many may be in force: see `isActive`. */
  readonly activeMax?: number
  /** How often an author may replace what is known already: so many at once, and so many a minute. */
  readonly changes: { readonly burst: number; readonly perMinute: number }
  /** Why the notice is refused; undefined when it is sound. Checks the author, too. */
  fault(notice: UnsignedNotice): string | undefined
  /** Notices of one name in different slots stand side by side; in one slot the latest counts. All in one when not given. */
  slot?(notice: UnsignedNotice): string
  /** A statement of another peer that a sound notice rests on. That peer's budget is charged for the notice. */
  endorsement?(notice: UnsignedNotice): Endorsement | undefined
  /** Whether a sound notice makes all peers work for as long as it stands. None does when not given. */
  isActive?(notice: UnsignedNotice): boolean
  /** What becomes of one of a home of before notices were signed: the same in our name, when not given. undefined: nothing. */
  adopt?(notice: UnsignedNotice, identity: Identity): UnsignedNotice | undefined
}

/** This peer, as it signs. */
export interface Identity {
  readonly self: PeerId
  sign(statement: Uint8Array): Uint8Array
}

export interface Endorsement {
  readonly peer: PeerId
  readonly statement: Uint8Array
  readonly signature: Uint8Array
}

export class NoticeKinds {
  readonly #kinds: ReadonlyMap<string, NoticeKind>

  constructor(kinds: readonly NoticeKind[]) {
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]))
    assert.equal(this.#kinds.size, kinds.length, 'a kind of notices was registered twice')
    for (const kind of kinds) {
      assert(Buffer.byteLength(kind.kind) <= kindBytesMax)
      assert(kind.nameBytesMax <= nameBytesMax && kind.valueBytesMax <= valueBytesMax)
    }
  }

  get(kind: string): NoticeKind | undefined {
    return this.#kinds.get(kind)
  }

  /** Why it is refused, whoever brings it; undefined when it is sound. Signatures are not looked at. */
  fault(notice: UnsignedNotice): string | undefined {
    const kind = this.#kinds.get(notice.kind)
    if (kind === undefined) return 'its kind is not known'
    if (Buffer.byteLength(notice.name) > kind.nameBytesMax) return 'its name is too long'
    if (notice.value.length > kind.valueBytesMax) return 'its value is too long'
    try {
      return kind.fault(notice)
    } catch (error) {
      // What cannot even be checked is not passed on.
      return `it cannot be checked: ${(error as Error).message}`
    }
  }

  /** Of a sound one: who pays for it, and how. */
  charge(notice: Notice): ChargedNotice {
    const kind = this.#kinds.get(notice.kind)!
    const chargedTo = kind.endorsement?.(notice)?.peer ?? notice.peer
    return { notice, chargedTo, isActive: kind.isActive?.(notice) ?? false }
  }

  /** Where a sound notice lies: its kind, so that those of a kind lie together, a digest of its name, and one of its slot. */
  keyOf(notice: UnsignedNotice): Uint8Array {
    const slot = this.#kinds.get(notice.kind)!.slot?.(notice) ?? ''
    const name = nameStart(notice.kind, notice.name)
    return slot === '' ? name : Buffer.concat([name, digestOf(slot)])
  }
}

export function kindStart(kind: string): Buffer {
  return Buffer.concat([Buffer.from(kind), Buffer.alloc(1)])
}

/** What the keys of all notices of a name begin with. */
export function nameStart(kind: string, name: string): Buffer {
  return Buffer.concat([kindStart(kind), digestOf(name)])
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, 20)
}
