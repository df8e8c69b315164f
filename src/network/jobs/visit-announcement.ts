// How often a site or a page is visited again, as an announcement: the latest one counts, whoever wrote it.
//
// A rule for everything is no announcement: it is the owner's word for what the own peer visits.

import * as v from 'valibot'
import type { VisitRule, VisitTarget } from '../../model/planned-visit.ts'
import { tryParseUrl } from '../../model/url.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'

export type SharedVisitTarget = Exclude<VisitTarget, { kind: 'all' }>

export interface VisitStatement {
  readonly target: SharedVisitTarget
  /** `resume`: as if there were no rule. */
  readonly state: 'every' | 'stop' | 'resume'
  /** Of 'every'. */
  readonly bounds?: VisitRule['bounds']
}

const hostCharsMax = 253
const urlCharsMax = 2_000
/** Politeness keeps visits apart anyway; a rule below this is no plan. */
const spanMsMin = 60_000
const spanMsMax = 100 * 366 * 24 * 3_600_000

const spanMs = v.pipe(v.number(), v.finite(), v.minValue(spanMsMin), v.maxValue(spanMsMax))
const target = v.variant('kind', [
  v.strictObject({
    kind: v.literal('site'),
    site: v.pipe(
      v.string(),
      v.maxLength(hostCharsMax),
      v.check((site) => tryParseUrl(`http://${site}/`)?.site === site, 'that is no site'),
    ),
  }),
  v.strictObject({
    kind: v.literal('url'),
    url: v.pipe(
      v.string(),
      v.maxLength(urlCharsMax),
      v.check((url) => tryParseUrl(url)?.href === url, 'that is no address'),
    ),
  }),
])
const schema = v.variant('state', [
  v.strictObject({ target, state: v.picklist(['stop', 'resume']) }),
  v.strictObject({
    target,
    state: v.literal('every'),
    bounds: v.pipe(
      v.strictObject({ minMs: spanMs, maxMs: spanMs }),
      v.check(({ minMs, maxMs }) => minMs <= maxMs, 'the shortest interval is longer than the longest'),
    ),
  }),
])

export const visitKind: AnnouncementKind = {
  kind: 'visit',
  nameBytesMax: 3 * urlCharsMax,
  valueBytesMax: 4 * urlCharsMax,
  countMax: 1_000,
  bytesMax: 512 * 1024,
  changes: { burst: 100, perMinute: 30 },
  fault: ({ name, value }) => {
    const statement = readVisitStatement(value)
    if (typeof statement === 'string') return statement
    return visitName(statement.target) === name ? undefined : 'its name is not that of its target'
  },
}

export function visitName(of: SharedVisitTarget): string {
  return of.kind === 'site' ? `site ${of.site}` : `url ${of.url}`
}

export function writeVisitStatement(statement: VisitStatement): Uint8Array {
  return Buffer.from(JSON.stringify(statement))
}

/** Gives why it is none. */
export function readVisitStatement(value: Uint8Array): VisitStatement | string {
  try {
    return v.parse(schema, JSON.parse(Buffer.from(value).toString()))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof v.ValiError) return error.message
    throw error
  }
}
