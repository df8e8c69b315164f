// Values of options: what a person writes on the command line, and what a command gets.

import { InvalidArgumentError } from 'commander'
import type { Selection } from '../../app/store/store-library.ts'
import { BadValue, type Kind } from '../../config/kinds.ts'
import { parseWarcDate, type TimeSpan, timestampSpan } from '../../model/timestamp.ts'
import { UsageError } from '../usage-error.ts'

export function nonNegativeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number.')
  return value
}

export function positiveNumber(text: string): number {
  const value = nonNegativeNumber(text)
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.')
  return value
}

/** A name that can stand in a User-Agent header, and by which robots.txt can speak to its bearer. */
export function agentName(text: string): string {
  const name = text.trim()
  if (!/^[\x20-\x7e]{1,500}$/.test(name) || !/^[A-Za-z_-]/.test(name))
    throw new InvalidArgumentError('It must be plain text that begins with a name, such as examplebot/1.0.')
  return name
}

/** `2020`, `20200131`, `2020-01-31` or `2020-01-31T12:00:00Z`: the span of time that it names. */
export function timeSpan(option: string, text: string): TimeSpan {
  try {
    if (/^\d+$/.test(text)) return timestampSpan(text)
    if (/^\d{4}(-\d\d(-\d\d)?)?$/.test(text)) return timestampSpan(text.replaceAll('-', ''))
    const atMs = parseWarcDate(text)
    return { fromMs: atMs, toMs: atMs + 1 }
  } catch {
    throw new UsageError(
      `${option} is ${JSON.stringify(text)}, but must be a time such as 2020, 20200131 or 2020-01-31T12:00:00Z.`,
    )
  }
}

/** `--from` and `--to`, both included. */
export function timeRange(options: { from?: string; to?: string }): { fromMs?: number; toMs?: number } {
  return {
    ...(options.from !== undefined && { fromMs: timeSpan('--from', options.from).fromMs }),
    ...(options.to !== undefined && { toMs: timeSpan('--to', options.to).toMs }),
  }
}

export interface SelectionOptions {
  url?: string
  prefix?: string
  host?: string
  site?: string
}

/** undefined when nothing is selected. */
export function selectionOf({
  url,
  prefix,
  host,
  site,
}: SelectionOptions): Exclude<Selection, { kind: 'all' | 'ring' }> | undefined {
  if (url !== undefined) return { kind: 'url', url }
  if (prefix !== undefined) return { kind: 'prefix', url: prefix }
  if (host !== undefined) return { kind: 'host', host }
  return site === undefined ? undefined : { kind: 'site', site }
}

/** A value as the configuration would read it. */
export function optionValue<T>(kind: Kind<T>, option: string, text: string): T {
  try {
    return kind.read(text)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    throw new UsageError(`${option} is ${JSON.stringify(text)}, but must be ${kind.expects}.`)
  }
}
