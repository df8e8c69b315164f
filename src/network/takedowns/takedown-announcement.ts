// A takedown as an announcement. Each author has its own: a takedown is in force while any author's is (or as many as the network
// demands), and the author can release its own; higher roles overrule it (src/network/roles/).
//
// Takedowns from before announcements were signed are signed on behalf of their author; the author's own announcement replaces
// that.

import * as v from 'valibot'
import { PolyhistorError } from '../../errors.ts'
import type { PeerId } from '../../platform/network/network.ts'
import {
  checkReason,
  checkTarget,
  nameOf,
  type TakedownTarget,
} from '../../store/takedowns/takedown-record.ts'
import type { UnsignedAnnouncement } from '../announcements/announcement.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'

export interface TakedownStatement {
  readonly target: TakedownTarget
  readonly reason: string
  readonly state: 'taken' | 'released'
  /** Whose word it was before announcements were signed. */
  readonly onBehalfOf?: PeerId | undefined
  /** The grant that its author acts by; not in those from before there were roles. */
  readonly by?: string | undefined
}

export const takedownName = nameOf

const schema = v.strictObject({
  // Checked by the store's own schema.
  target: v.looseObject({}),
  reason: v.string(),
  state: v.picklist(['taken', 'released']),
  onBehalfOf: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  by: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{22}$/))),
})

export const takedownKind: AnnouncementKind = {
  kind: 'takedown',
  nameBytesMax: 2_000,
  valueBytesMax: 96 * 1024,
  countMax: 10_000,
  bytesMax: 4 * 1024 * 1024,
  changes: { burst: 1_000, perMinute: 60 },
  fault: ({ name, value, peer }) => {
    const statement = readTakedown(value)
    if (typeof statement === 'string') return statement
    if (statement.onBehalfOf === peer) return 'its author speaks on its own behalf'
    return nameOf(statement.target) === name ? undefined : 'its name is not that of its target'
  },
  slot: ({ value, peer }) => {
    const { onBehalfOf } = readTakedown(value) as TakedownStatement
    return onBehalfOf === undefined ? peer : `for ${onBehalfOf}`
  },
  adopt: adoptTakedown,
}

export function writeTakedown(statement: TakedownStatement): Uint8Array {
  return Buffer.from(JSON.stringify(statement))
}

/** Gives why it is none. */
export function readTakedown(value: Uint8Array): TakedownStatement | string {
  try {
    const { target, reason, ...rest } = v.parse(schema, JSON.parse(Buffer.from(value).toString()))
    return { target: checkTarget(target), reason: checkReason(reason), ...rest }
  } catch (error) {
    if (error instanceof PolyhistorError || error instanceof SyntaxError || error instanceof v.ValiError)
      return error.message
    throw error
  }
}

function adoptTakedown(announcement: UnsignedAnnouncement, { self }: { self: PeerId }): UnsignedAnnouncement {
  const { target, reason } = JSON.parse(Buffer.from(announcement.value).toString()) ?? {}
  const text = typeof reason === 'string' ? reason.slice(0, 4_096) : ''
  const behalf = announcement.peer === self ? {} : { onBehalfOf: announcement.peer }
  const statement = { target: checkTarget(target), reason: text, state: 'taken', ...behalf } as const
  return { ...announcement, name: nameOf(statement.target), value: writeTakedown(statement), peer: self }
}
