// Written watch: a watch as people, programs and forms write it, read with errors that say what to do; and written again.

import { BadValue, duration } from '../../config/kinds.ts'
import { browserUses } from '../../model/jobs/site-rule.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import { type Watch, WatchedPart } from '../page-change/watched/watched-part.ts'
import type { WatchSettings, WatchTarget } from './page-watch.ts'
import { WatchesError } from './watches-error.ts'

const everyMsMin = 60_000
const everyMsMax = 10 * 365 * 86_400_000
const nameCharsMax = 200

const names = [
  'url',
  'prefix',
  'site',
  'name',
  'selector',
  'mainText',
  'ignore',
  'ignorePatterns',
  'leastChange',
  'cosmetic',
  'every',
  'browser',
] as const

export type WrittenWatch = Readonly<Partial<Record<(typeof names)[number], unknown>>>

/** Throws 'watch-malformed', and what is wrong with selectors and patterns. */
export function readWatch(written: WrittenWatch): WatchSettings {
  const unknown = Object.keys(written).find((name) => !names.includes(name as (typeof names)[number]))
  if (unknown !== undefined) throw malformed(unknown, `is none of ${names.join(', ')}`)
  const look = lookOf(written)
  // Says what is wrong with selectors and patterns.
  new WatchedPart(look)
  return {
    target: targetOf(written),
    name: textOf(written, 'name').slice(0, nameCharsMax).toWellFormed(),
    look,
    tellsCosmetic: flagOf(written, 'cosmetic'),
    everyMs: everyOf(written),
    browser: browserOf(written),
  }
}

/** What there is with what is said instead; null takes back. */
export function changedWatch(settings: WatchSettings, written: WrittenWatch): WatchSettings {
  const before: Record<string, unknown> = { ...writeWatch(settings) }
  if (written.selector !== undefined && written.selector !== null) delete before.mainText
  if (written.mainText === true) delete before.selector
  return readWatch({ ...before, ...written })
}

export function writeWatch(settings: WatchSettings): WrittenWatch {
  const { target, name, look, tellsCosmetic, everyMs, browser } = settings
  const { part, ignoreSelectors, ignorePatterns, leastShare } = look
  return {
    ...(target.kind === 'site' ? { site: target.site } : { [target.kind]: target.url }),
    ...(name !== '' && { name }),
    ...(part.kind === 'selector' && { selector: part.selector }),
    ...(part.kind === 'main-text' && { mainText: true }),
    ...(ignoreSelectors.length > 0 && { ignore: ignoreSelectors }),
    ...(ignorePatterns.length > 0 && { ignorePatterns }),
    ...(leastShare > 0 && { leastChange: leastShare }),
    ...(tellsCosmetic && { cosmetic: true }),
    ...(everyMs > 0 && { every: duration.print(everyMs) }),
    ...(browser !== undefined && { browser }),
  }
}

function targetOf(written: WrittenWatch): WatchTarget {
  const said = (['url', 'prefix', 'site'] as const).filter((name) => textOf(written, name) !== '')
  const [kind] = said
  if (kind === undefined || said.length > 1)
    throw new WatchesError('watch-malformed', 'Say what to watch: one of url, prefix or site.')
  const url = urlFromTyped(textOf(written, kind))
  return kind === 'site' ? { kind, site: url.site } : { kind, url: url.href }
}

function lookOf(written: WrittenWatch): Watch {
  const selector = textOf(written, 'selector')
  const isMainText = flagOf(written, 'mainText')
  if (selector !== '' && isMainText)
    throw new WatchesError('watch-malformed', 'Watch either what a selector selects or the main text.')
  return {
    part:
      selector !== ''
        ? { kind: 'selector', selector }
        : isMainText
          ? { kind: 'main-text' }
          : { kind: 'page' },
    ignoreSelectors: listOf(written, 'ignore'),
    ignorePatterns: listOf(written, 'ignorePatterns'),
    leastShare: shareOf(written),
  }
}

function shareOf({ leastChange }: WrittenWatch): number {
  if (isNone(leastChange)) return 0
  const share = Number(leastChange)
  if (share >= 0 && share <= 1) return share
  throw malformed('leastChange', 'must be a share of words from 0 to 1, such as 0.05')
}

function everyOf({ every }: WrittenWatch): number {
  if (isNone(every)) return 0
  try {
    const everyMs = duration.read(String(every))
    if (everyMs >= everyMsMin && everyMs <= everyMsMax) return everyMs
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
  }
  throw malformed('every', 'must be a time such as 30m, 6h or 1d, a minute at least')
}

function browserOf({ browser }: WrittenWatch): WatchSettings['browser'] {
  if (isNone(browser)) return undefined
  const use = browserUses.find((known) => known === browser)
  if (use === undefined) throw malformed('browser', `must be one of ${browserUses.join(', ')}`)
  return use
}

function textOf(written: WrittenWatch, name: keyof WrittenWatch): string {
  const value = written[name]
  if (isNone(value)) return ''
  if (typeof value !== 'string') throw malformed(name, 'must be a text')
  return value.trim()
}

function listOf(written: WrittenWatch, name: 'ignore' | 'ignorePatterns'): string[] {
  const value = written[name]
  if (isNone(value)) return []
  const list = Array.isArray(value) ? value : [value]
  if (!list.every((one) => typeof one === 'string')) throw malformed(name, 'must be a list of texts')
  return (list as string[]).map((one) => one.trim()).filter((one) => one !== '')
}

function flagOf(written: WrittenWatch, name: 'cosmetic' | 'mainText'): boolean {
  const value = written[name]
  if (isNone(value)) return false
  if (typeof value !== 'boolean') throw malformed(name, 'must be true or false')
  return value
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function malformed(name: string, must: string): WatchesError {
  return new WatchesError('watch-malformed', `${name.slice(0, 80)} ${must}.`)
}
