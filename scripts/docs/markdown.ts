// One Markdown file as the parts of a page: its markup, its headings, its links, and its text by section for the search.

import { Marked, type Token, type Tokens } from 'marked'
import { addressOf, linkTarget, relativeAddress } from './addresses.ts'

export interface Heading {
  readonly depth: number
  readonly id: string
  readonly text: string
}

export interface Section extends Heading {
  readonly body: string
}

export interface RenderedMarkdown {
  readonly title: string
  readonly markup: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
  /** As they stand in the source. */
  readonly links: readonly string[]
  readonly images: readonly string[]
}

const shortChars = 28

/** `isPage` says whether a file of the repository is on the site. */
export function renderMarkdown(
  source: string,
  text: string,
  isPage: (source: string) => boolean,
): RenderedMarkdown {
  const address = addressOf(source)!
  const headings: Heading[] = []
  const links: string[] = []
  const images: string[] = []
  const taken = new Map<string, number>()

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const plain = plainText(tokens)
        const id = uniqueSlug(plain, taken)
        headings.push({ depth, id, text: plain })
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to: ${escaped(plain)}">#</a></h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        links.push(href)
        const inner = this.parser.parseInline(tokens)
        const target = linkTarget(source, href)
        if (target === undefined) return `<a href="${escaped(href)}">${inner}</a>`
        const to = addressOf(target.source)
        // Sources are not part of the site: the reader is told where they lie in the repository.
        if (to === undefined || !isPage(target.source))
          return `<span class="source" title="In the repository: ${escaped(target.source)}">${inner}</span>`
        const path = target.source === source ? '' : relativeAddress(address, to)
        return `<a href="${escaped(path + target.fragment)}">${inner}</a>`
      },
      image({ href, text: description }: Tokens.Image): string {
        images.push(href)
        const to = addressOf(linkTarget(source, href)!.source)!
        return `<img src="${escaped(relativeAddress(address, to))}" alt="${escaped(description)}" loading="lazy">`
      },
      code({ text: code, lang }: Tokens.Code): string {
        const language = (lang ?? '').split(/\s/, 1)[0]!
        const shown = language === 'sh' ? withRemarks(escaped(code)) : escaped(code)
        return `<pre tabindex="0"><code>${shown}\n</code></pre>\n`
      },
      // Words such as an option are not torn apart at the end of a line.
      codespan({ text: code }: Tokens.Codespan): string {
        const isShort = code.length <= shortChars && !code.includes(' ')
        return `<code${isShort ? ' class="short"' : ''}>${escaped(code)}</code>`
      },
      table(token: Tokens.Table): string {
        const cell = (tag: string, { tokens }: Tokens.TableCell): string =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
        const head = token.header.map((each) => cell(each.text === '' ? 'td' : 'th', each)).join('')
        const rows = token.rows.map((row) => `<tr>${row.map((each) => cell('td', each)).join('')}</tr>`)
        const isHeadless = token.header.every((each) => each.text === '')
        const top = isHeadless ? '' : `<thead><tr>${head}</tr></thead>`
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${top}<tbody>${rows.join('\n')}</tbody></table></div>\n`
      },
      // Remarks in the source, such as why a command is not run, are no part of the page.
      html({ text: raw }: Tokens.HTML | Tokens.Tag): string {
        return /^<!--[\s\S]*-->\s*$/.test(raw) ? '' : escaped(raw)
      },
    },
  })
  const tokens = marked.lexer(text)
  const markup = marked.parser(tokens)
  return {
    title: headings[0]?.text ?? source,
    markup,
    headings,
    sections: sectionsOf(tokens, headings),
    links,
    images,
  }
}

/** As GitHub makes them, so that one link works in both places. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

function uniqueSlug(heading: string, taken: Map<string, number>): string {
  const slug = slugOf(heading)
  const count = taken.get(slug) ?? 0
  taken.set(slug, count + 1)
  return count === 0 ? slug : `${slug}-${count}`
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: Section[] = []
  let body: string[] = []
  let heading: Heading | undefined
  let next = 0
  const close = (): void => {
    if (heading !== undefined) sections.push({ ...heading, body: body.join(' ').replace(/\s+/g, ' ').trim() })
    body = []
  }
  for (const token of tokens) {
    if (token.type === 'heading') {
      close()
      heading = headings[next++]
    } else if (token.type !== 'html') body.push(plainText([token]))
  }
  close()
  return sections
}

/** The words of tokens, without any markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(wordsOf).join('')
}

function wordsOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ')
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')
  if (token.type === 'image') return (token as Tokens.Image).text
  if (token.type === 'br' || token.type === 'space') return ' '
  const { tokens, text, raw } = token as { tokens?: Token[]; text?: string; raw: string }
  return tokens === undefined ? unescaped(text ?? raw) : plainText(tokens)
}

/** What is behind `#` is a remark. */
function withRemarks(code: string): string {
  return code.replace(/(^|\s)(#\s.*)$/gm, '$1<span class="remark">$2</span>')
}

export function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}

function unescaped(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
}
