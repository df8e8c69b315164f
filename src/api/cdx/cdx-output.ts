// A CDX result as text, in the four formats of both dialects.
//
// `json` is an array of arrays with a head in the Internet Archive's dialect, and an object a line in pywb's.

import { textType } from '../answers.ts'
import { type MementoLinks, mementoLink } from '../memento/memento-links.ts'
import { type CdxField, type CdxRow, fieldValue, nameIn } from './cdx-fields.ts'
import type { CdxQuery } from './cdx-query.ts'

export interface CdxPrinter {
  readonly type: string
  head(): string
  row(row: CdxRow): string
  /** With the key to go on with, where there is one. */
  end(resumeKey: string | undefined): string
}

export function printerOf(query: CdxQuery, links: MementoLinks): CdxPrinter {
  switch (query.output) {
    case 'json':
      return query.dialect === 'wayback' ? arrays(query) : objects(query)
    case 'cdxj':
      return cdxj(query)
    case 'link':
      return linkFormat(query, links)
    case 'text':
      return words(query)
  }
}

function arrays({ dialect, fields }: CdxQuery): CdxPrinter {
  let separator = ''
  return {
    type: 'application/json; charset=utf-8',
    head: () => '[',
    row: (row) => {
      const values = JSON.stringify(fields.map((field) => fieldValue(field, row)))
      const head =
        separator === '' ? `${JSON.stringify(fields.map((field) => nameIn(dialect, field)))},\n` : ''
      const text = `${separator}${head}${values}`
      separator = ',\n'
      return text
    },
    end: (resumeKey) =>
      resumeKey === undefined ? ']\n' : `${separator}[],\n[${JSON.stringify(resumeKey)}]]\n`,
  }
}

function objects({ dialect, fields }: CdxQuery): CdxPrinter {
  return {
    type: 'text/x-ndjson; charset=utf-8',
    head: () => '',
    row: (row) => `${object(fields, row, (field) => nameIn(dialect, field))}\n`,
    end: keyBelow,
  }
}

function cdxj({ fields }: CdxQuery): CdxPrinter {
  return {
    type: 'text/x-cdxj; charset=utf-8',
    head: () => '',
    row: (row) => `${cdxjLine(fields, row)}\n`,
    end: keyBelow,
  }
}

export function cdxjLine(fields: readonly CdxField[], row: CdxRow): string {
  const inside = fields.filter((field) => field !== 'urlkey' && field !== 'timestamp')
  return `${fieldValue('urlkey', row)} ${fieldValue('timestamp', row)} ${object(inside, row, (field) => field)}`
}

function words({ fields }: CdxQuery): CdxPrinter {
  return {
    type: textType,
    head: () => '',
    row: (row) => `${fields.map((field) => fieldValue(field, row)).join(' ')}\n`,
    end: keyBelow,
  }
}

function linkFormat(query: CdxQuery, links: MementoLinks): CdxPrinter {
  let separator = ''
  const { url } = query
  return {
    type: 'application/link-format',
    head: () => {
      if (url === undefined) return ''
      separator = ',\n'
      return `<${url.href}>; rel="original",\n<${links.timeGate(url.href)}>; rel="timegate",\n<${links.timeMap('link', url.href)}>; rel="timemap"; type="application/link-format"`
    },
    row: ({ capture }) => {
      const text = `${separator}${mementoLink(links, capture)}`
      separator = ',\n'
      return text
    },
    end: (resumeKey) => `\n${keyBelow(resumeKey)}`,
  }
}

function keyBelow(resumeKey: string | undefined): string {
  return resumeKey === undefined ? '' : `\n${resumeKey}\n`
}

/** What is not known is left out, as in CDXJ files, but for what a revisit repeats: there `-` says that it is none. Spaced as Python does, for scripts that look for `"url": "`. */
function object(fields: readonly CdxField[], row: CdxRow, name: (field: CdxField) => string): string {
  const members: string[] = []
  for (const field of fields) {
    const value = fieldValue(field, row)
    if (value !== '-' || field.startsWith('orig.'))
      members.push(`${JSON.stringify(name(field))}: ${JSON.stringify(value)}`)
  }
  return `{${members.join(', ')}}`
}
