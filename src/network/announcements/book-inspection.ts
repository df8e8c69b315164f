// Book inspection: what lies in a notice book is checked before the book is used, as if it had just come from others. A home that
// was poisoned by an earlier version, or damaged, opens all the same.
//
// What is unsound goes to the quarantine. Notices of before they were signed are adopted: signed by ourselves, with their version.
// What we said ourselves by a clock that was ahead is dated anew; what others said so is unsound.

import { PolyhistorError } from '../../errors.ts'
import type { KeyValue } from '../../platform/key-value.ts'
import type { PeerId } from '../../platform/network.ts'
import type { ChargedNotice } from './author-usage.ts'
import { idOf, type NoticeSigner, statementOf, type UnsignedNotice, unsignedNotice } from './notice.ts'
import { type NoticeBook, storedNotice } from './notice-book.ts'

export interface InspectionNeeds {
  readonly book: NoticeBook
  readonly map: KeyValue
  readonly signer: NoticeSigner
  readonly self: PeerId
  readonly nowMs: number
  /** Versions beyond are of no clock that can be right. */
  readonly versionMax: number
}

const atOnce = 500
const idBytes = 16

/** Gives how many were set aside. */
export async function inspectBook(needs: InspectionNeeds): Promise<number> {
  return (await inspectStored(needs)) + (await adoptUnsigned(needs))
}

async function inspectStored({ book, signer, self, nowMs, versionMax }: InspectionNeeds): Promise<number> {
  const unsound: [key: Uint8Array, reason: string][] = []
  const ahead: UnsignedNotice[] = []
  for (const [key, bytes] of book.stored({})) {
    const read = tryRead(book, key, bytes)
    if (typeof read === 'string') unsound.push([key, read])
    else {
      const { notice } = read
      if (notice.version <= versionMax) {
        book.usage.add(read)
        continue
      }
      unsound.push([key, 'its version is ahead of all clocks'])
      if (notice.peer === self) ahead.push({ ...notice, version: Math.floor(nowMs) })
    }
  }
  for (const [key, reason] of unsound) await book.setAside(key, { reason, atMs: nowMs, isCharged: false })
  for (const notice of ahead) await book.write(() => signed(book, notice, signer))
  return unsound.length - ahead.length
}

function tryRead(book: NoticeBook, key: Uint8Array, bytes: Uint8Array): ChargedNotice | string {
  try {
    const stored = storedNotice.decode(bytes)
    const { notice } = stored
    const fault = book.kinds.fault(notice)
    if (fault !== undefined) return fault
    const isInPlace = Buffer.compare(book.kinds.keyOf(notice), key) === 0
    const isWhole = Buffer.compare(idOf(notice), bytes.subarray(0, idBytes)) === 0
    return isInPlace && isWhole ? stored : 'it is not what was stored'
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return error.message
  }
}

/** Of a home of before notices were signed. Can be cut short by a crash, and goes on next time. */
async function adoptUnsigned(needs: InspectionNeeds): Promise<number> {
  const { book, map, nowMs } = needs
  const [notices, sums] = [map.table('notices'), map.table('sums')]
  let setAside = 0
  for (;;) {
    const entries = [...notices.range({ limit: atOnce })]
    if (entries.length === 0) break
    for (const [key, bytes] of entries) {
      const reason = await adopt(needs, bytes.subarray(idBytes))
      await map.transaction(() => {
        notices.remove(key)
        if (reason !== undefined) book.quarantine.add(bytes.slice(0, idBytes), { atMs: nowMs, reason, bytes })
      })
      if (reason !== undefined) setAside++
    }
  }
  for (;;) {
    const keys = [...sums.range({ limit: atOnce })].map(([key]) => key)
    if (keys.length === 0) return setAside
    await map.transaction(() => {
      for (const key of keys) sums.remove(key)
    })
  }
}

/** Gives why it cannot be adopted. */
async function adopt(needs: InspectionNeeds, bytes: Uint8Array): Promise<string | undefined> {
  const { book, signer } = needs
  const adopted = tryAdopt(needs, bytes)
  // Of no use any more, as its kind says.
  if (adopted === undefined) return undefined
  if (typeof adopted === 'string') return adopted
  const fault = book.kinds.fault(adopted)
  if (fault !== undefined) return fault
  const { refused } = await book.merge([signed(book, adopted, signer)])
  return refused[0]?.reason
}

function tryAdopt(needs: InspectionNeeds, bytes: Uint8Array): UnsignedNotice | string | undefined {
  const { book, signer, self, versionMax, nowMs } = needs
  try {
    const old = unsignedNotice.decode(bytes)
    const notice = { ...old, version: old.version > versionMax ? Math.floor(nowMs) : old.version }
    const kind = book.kinds.get(old.kind)
    if (kind?.adopt === undefined) return { ...notice, peer: self }
    return kind.adopt(notice, { self, sign: (statement) => signer.sign(statement) })
  } catch (error) {
    // Whatever others wrote must not keep the home from opening.
    return (error as Error).message
  }
}

/** A sound notice as we write it. */
export function signed(book: NoticeBook, notice: UnsignedNotice, signer: NoticeSigner): ChargedNotice {
  return book.kinds.charge({ ...notice, signature: signer.sign(statementOf(notice)) })
}
