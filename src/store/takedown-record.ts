// A takedown as it is stored and as it comes in, checked by its schema.
//
// Invariant: whatever passes here can be carried out: the kind is one of three, a URL parses, a site is a whole site. There is
// no takedown of everything. What comes in is refused with 'store-bad-target'; what was stored and fails is for
// takedown-quarantine.ts.

import * as v from 'valibot'
import { digestHex, digestOf } from '../record/digest.ts'
import { siteOf } from '../record/site.ts'
import { tryParseUrl } from '../record/url.ts'
import { StoreError } from './store-error.ts'

const siteCharsMax = 253
const urlCharsMax = 65_536
export const reasonCharsMax = 4_096
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

const storedSchema = v.object({
  target: targetSchema,
  atMs: v.pipe(v.number(), v.minValue(-timeMsMax), v.maxValue(timeMsMax)),
  // A reason that is too long is no reason to stop hiding.
  reason: v.pipe(
    v.string(),
    v.transform((text) => text.slice(0, reasonCharsMax)),
  ),
  isDone: v.optional(v.boolean(), false),
})

export type Takedown = v.InferOutput<typeof storedSchema>

/** Throws 'store-bad-target'. */
export function checkTakedown(target: unknown, reason: unknown): TakedownTarget {
  const checked = v.safeParse(targetSchema, target)
  if (!checked.success) throw badTarget(`This cannot be taken down: ${checked.issues[0].message}`)
  if (typeof reason !== 'string' || reason.length > reasonCharsMax)
    throw badTarget(`The reason of a takedown is a text of at most ${reasonCharsMax} characters.`)
  checkWholeSite(checked.output)
  return checked.output
}

/** What was stored; undefined when it is no takedown. */
export function storedTakedown(value: unknown): Takedown | undefined {
  const checked = v.safeParse(storedSchema, value)
  return checked.success ? checked.output : undefined
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
