// Action record: an action as it lies in the log: who did what when, what came of it, and how it is undone.

import * as v from 'valibot'

const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const written = v.record(text(40), v.nullable(v.union([text(4_000), v.number(), v.boolean()])))

/** null: it was revoked. */
const role = v.nullable(
  v.strictObject({ role: text(20), sites: v.pipe(v.array(text(300)), v.maxLength(200)) }),
)

const undo = v.variant('kind', [
  /** The rule for a target said `before` on these matters; the action made it say `after`. */
  v.strictObject({ kind: v.literal('rule'), target: written, before: written, after: written }),
  v.strictObject({ kind: v.literal('job'), id: text(200) }),
  v.strictObject({
    kind: v.literal('release'),
    target: v.strictObject({ kind: v.picklist(['site', 'url']), name: text(4_000) }),
  }),
  v.strictObject({ kind: v.literal('stay') }),
  /** The peer at which the site was placed, and is; null: as the ring has it. */
  v.strictObject({
    kind: v.literal('move'),
    site: text(300),
    before: v.nullable(text(200)),
    after: v.nullable(text(200)),
  }),
  v.strictObject({ kind: v.literal('role'), peer: text(200), before: role, after: role }),
])

export const actionRecordSchema = v.strictObject({
  id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  atMs: time,
  /** A browser of the owner, or a program with the token. */
  by: v.picklist(['browser', 'program']),
  from: text(100),
  kind: text(40),
  about: text(4_000),
  /** `begun`: the peer ended before it was known what came of it. */
  outcome: v.picklist(['begun', 'done', 'failed']),
  /** What came of it, in words. */
  message: text(2_000),
  undo: v.optional(undo),
  undoneAtMs: v.optional(time),
})

export type ActionRecord = Readonly<v.InferOutput<typeof actionRecordSchema>>
export type UndoPlan = v.InferOutput<typeof undo>

export function isUndoable({ outcome, undo: plan, undoneAtMs }: ActionRecord): boolean {
  return outcome === 'done' && plan !== undefined && undoneAtMs === undefined
}

/** undefined for a damaged one. */
export function readActionRecord(stored: Uint8Array): ActionRecord | undefined {
  try {
    const read = v.safeParse(actionRecordSchema, JSON.parse(Buffer.from(stored).toString()))
    return read.success ? read.output : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
