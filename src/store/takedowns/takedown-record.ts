// A takedown as it is stored and as it comes in, checked by its schema.
//
// Invariant: whatever passes here can be carried out: the kind is one of three, a URL parses, a site is a whole site. There is
// no takedown of everything. What comes in is refused with 'store-bad-target'; what was stored and fails is for
// takedown-quarantine.ts.

import * as v from 'valibot'
import { digestHex, digestOf } from '../../model/digest.ts'
import { siteOf } from '../../model/url/site.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import { StoreError } from '../store-error.ts'

const siteCharsMax = 253
const urlCharsMax = 65_536
const reasonCharsMax = 4_096
const byCharsMax = 256
const timeMsMax = 8.64e15
const nameBytesMax = 1_500

const url = v.pipe(
  v.string(),
  v.maxLength(urlCharsMax, 'The URL is too long.'),
  v.check((text) => tryParseUrl(text) !== null, 'The URL is none that can be archived.'),
)
const site = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(siteCharsMax, `A site has at most ${siteCharsMax} characters.`),
  v.check((name) => tryParseUrl(`http://${name}/`)?.host === name, 'That is not the name of a site.'),
)

/** What can be taken down. */
const targetSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('url'), url }),
  v.strictObject({ kind: v.literal('prefix'), url }),
  v.strictObject({ kind: v.literal('site'), site }),
])

export type TakedownTarget = v.InferOutput<typeof targetSchema>

/** `hiding`, `releasing`, `destroying`: begun, and gone on with after a crash. `hidden`: can be taken back. `destroyed`: its
 * captures have left the index, and compaction ends their bytes. */
const stages = ['hiding', 'hidden', 'releasing', 'destroying', 'destroyed'] as const
type TakedownStage = (typeof stages)[number]

const time = v.pipe(v.number(), v.minValue(-timeMsMax), v.maxValue(timeMsMax))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
// A text that is too long is no reason to stop hiding.
const cutText = (charsMax: number) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.slice(0, charsMax)),
  )

const storedSchema = v.object({
  target: targetSchema,
  atMs: time,
  reason: cutText(reasonCharsMax),
  /** Who asked for it, where that was not this peer's owner. */
  by: v.optional(cutText(byCharsMax)),
  /** From then on it is destroyed by the next compaction. Stores of earlier versions did not say. */
  finalAtMs: v.optional(time),
  /** It is hidden and not destroyed, however long ago that was: more have to ask for it. */
  isHeld: v.optional(v.boolean()),
  stage: v.optional(v.picklist(stages)),
  /** How many captures it hid that were not hidden before, and how many there were to be seen. */
  captures: v.optional(count),
  ofCaptures: v.optional(count),
  /** Of earlier versions: they removed at once. */
  isDone: v.optional(v.boolean()),
})

export interface Takedown {
  readonly target: TakedownTarget
  readonly atMs: number
  readonly reason: string
  readonly by?: string | undefined
  readonly finalAtMs: number
  readonly isHeld?: boolean | undefined
  readonly stage: TakedownStage
  readonly captures: number
  readonly ofCaptures: number
}

/** Throws 'store-bad-target'. */
export function checkReason(reason: unknown): string {
  if (typeof reason === 'string' && reason.length <= reasonCharsMax) return reason
  throw badTarget(`The reason of a takedown is a text of at most ${reasonCharsMax} characters.`)
}

/** Throws 'store-bad-target'. */
export function checkTarget(target: unknown): TakedownTarget {
  const checked = v.safeParse(targetSchema, target)
  if (!checked.success) throw badTarget(`This cannot be taken down: ${checked.issues[0].message}`)
  checkWholeSite(checked.output)
  return checked.output
}

/** What was stored; undefined when it is no takedown. `undoMs`: for those of earlier versions. */
export function storedTakedown(value: unknown, undoMs: number): Takedown | undefined {
  const checked = v.safeParse(storedSchema, value)
  if (!checked.success) return undefined
  const { isDone, ...stored } = checked.output
  return {
    ...stored,
    finalAtMs: stored.finalAtMs ?? (isDone ? stored.atMs : stored.atMs + undoMs),
    stage: stored.stage ?? (isDone ? 'destroyed' : 'hiding'),
    captures: stored.captures ?? 0,
    ofCaptures: stored.ofCaptures ?? 0,
  }
}

/** The target that a line of the list releases; undefined when it is no such line. */
export function storedRelease(value: unknown): TakedownTarget | undefined {
  const checked = v.safeParse(v.object({ release: targetSchema, atMs: time }), value)
  return checked.success ? checked.output.release : undefined
}

/** Short enough for an index key, however long the URL. */
export function nameOf(target: TakedownTarget): string {
  const name = `${target.kind} ${target.kind === 'site' ? target.site : target.url}`
  if (Buffer.byteLength(name) <= nameBytesMax) return name
  return `${target.kind} ${digestHex(digestOf('sha256', name))}`
}

/** A part of a site is hidden by prefix: taken for its site, far more would go than was asked for. */
function checkWholeSite(target: TakedownTarget): void {
  if (target.kind !== 'site') return
  const whole = siteOf(target.site)
  if (whole === target.site) return
  throw badTarget(
    `${target.site} is not a site but a part of ${whole}. Take down the prefix http://${target.site}/, or the site ${whole}.`,
  )
}

function badTarget(message: string): StoreError {
  return new StoreError('store-bad-target', message)
}
