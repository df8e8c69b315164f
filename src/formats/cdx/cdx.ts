// CDX: the classic index format, fields by position, read so that older archives can be imported.
//
// The header ` CDX N b a m s k r M S V g` says which field stands where. Without one, lines of 11 fields (as
// the Wayback Machine writes them), 10 and 9 are told apart by their number. We write CDXJ only: see cdxj.ts.

import { checkedIndexLine, checkLineLength, fail, type IndexLine } from './index-line.ts'

/** The letters of a header, in order. */
export type CdxLayout = readonly string[]

const layoutByFieldCount: ReadonlyMap<number, CdxLayout> = new Map([
  [11, [...'NbamskrMSVg']],
  [10, [...'NbamskrMVg']],
  [9, [...'NbamskrVg']],
])

const headerCharsMax = 128

/** Null if the line is no header of a classic file, or of one that lacks key, time or URL. */
export function parseCdxHeader(line: string): CdxLayout | null {
  if (line.length > headerCharsMax) return null
  const match = /^ ?CDX((?: [a-z])+)\s*$/i.exec(line)
  const layout = match === null ? [] : match[1]!.trim().split(' ')
  return ['N', 'b', 'a'].every((letter) => layout.includes(letter)) ? layout : null
}

/** Throws IndexLineError. */
export function parseCdxLine(line: string, layout?: CdxLayout): IndexLine {
  checkLineLength(line)
  const values = line.trimEnd().split(' ')
  const letters = layout ?? layoutByFieldCount.get(values.length)
  if (letters?.length !== values.length) return fail(line, `it has ${values.length} fields`)
  const field = (letter: string) => values[letters.indexOf(letter)]
  const more = knownOnly({ redirect: field('r'), robotflags: field('M') })
  return checkedIndexLine(
    {
      surt: field('N'),
      timestamp: field('b'),
      url: field('a'),
      mime: field('m'),
      status: field('s'),
      digest: field('k'),
      length: field('S'),
      offset: field('V'),
      filename: field('g'),
      ...(more && { more }),
    },
    line,
  )
}

function knownOnly(fields: Record<string, string | undefined>): Record<string, unknown> | undefined {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '-')
  return known.length === 0 ? undefined : Object.fromEntries(known)
}
