// The documentation: search as one types, and the list of pages folded up on a phone. All else works without scripts.

import MiniSearch from 'minisearch'

interface Section {
  readonly address: string
  readonly page: string
  readonly heading: string
  readonly text: string
}

const hitsMax = 12
const snippetChars = 160
const root = document.body.dataset.root ?? ''
const form = document.querySelector<HTMLFormElement>('.docs-search')!
const field = form.querySelector('input')!
const found = form.querySelector<HTMLElement>('.found')!
const list = found.querySelector('ol')!
const count = found.querySelector('p')!
let index: Promise<MiniSearch<Section>> | undefined

form.hidden = false
// Where a peer serves this, its archive is at the top of the same host.
if (location.pathname.startsWith('/docs/')) document.querySelector<HTMLElement>('.to-archive')!.hidden = false
if (matchMedia('(max-width: 50rem)').matches)
  document.querySelector<HTMLDetailsElement>('.pages details')!.open = false
document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' })

field.addEventListener('focus', () => void loaded())
field.addEventListener('input', () => void look())
form.addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector('a')?.click()
})
form.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close()
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    step(event.key === 'ArrowDown' ? 1 : -1)
  }
})
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as HTMLElement).matches('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
})
document.addEventListener('click', (event) => {
  if (!form.contains(event.target as Node)) found.hidden = true
})

function close(): void {
  found.hidden = true
  field.focus()
}

/** Up and down through the field and what was found. */
function step(by: 1 | -1): void {
  const stops: HTMLElement[] = [field, ...list.querySelectorAll<HTMLElement>('a')]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  stops[Math.min(stops.length - 1, Math.max(0, at + by))]?.focus()
}

function loaded(): Promise<MiniSearch<Section>> {
  index ??= load().catch((error) => {
    index = undefined
    throw error
  })
  return index
}

async function load(): Promise<MiniSearch<Section>> {
  const response = await fetch(`${root}search.json`)
  if (!response.ok) throw new Error(`search.json: ${response.status}`)
  const search = new MiniSearch<Section>({
    idField: 'address',
    fields: ['heading', 'page', 'text'],
    storeFields: ['address', 'page', 'heading', 'text'],
  })
  search.addAll((await response.json()) as Section[])
  return search
}

async function look(): Promise<void> {
  const typed = field.value.trim()
  if (typed === '') {
    found.hidden = true
    return
  }
  let hits: (Section & { terms: string[] })[]
  try {
    const search = await loaded()
    hits = search
      .search(typed, {
        prefix: true,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        combineWith: 'AND',
        boost: { heading: 3, page: 2 },
        // Why things are so is read by few; how they are by all.
        boostDocument: (address) => (String(address).startsWith('decisions/') ? 0.5 : 1),
      })
      .slice(0, hitsMax) as unknown as (Section & { terms: string[] })[]
  } catch {
    hits = []
    if (field.value.trim() === typed) show('The search could not be loaded: it needs a web server.', [])
    return
  }
  // Somebody typed on meanwhile.
  if (field.value.trim() !== typed) return
  show(hits.length === 0 ? 'Nothing was found.' : `${hits.length} found`, hits)
}

function show(words: string, hits: readonly (Section & { terms: string[] })[]): void {
  count.textContent = words
  list.replaceChildren(...hits.map(hitItem))
  found.hidden = false
}

function hitItem(hit: Section & { terms: string[] }): HTMLElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = root + hit.address
  link.textContent = hit.heading === hit.page ? hit.page : `${hit.page}: ${hit.heading}`
  const snippet = document.createElement('p')
  snippet.append(...marked(snippetOf(hit), hit.terms))
  item.append(link, snippet)
  return item
}

function snippetOf({ text, terms }: Section & { terms: string[] }): string {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0)
  const first = Math.max(0, Math.min(...places, text.length) - 40)
  const start = first === 0 || places.length === 0 ? 0 : text.indexOf(' ', first) + 1
  const cut = text.slice(start, start + snippetChars)
  return `${start > 0 ? '… ' : ''}${cut}${start + snippetChars < text.length ? ' …' : ''}`
}

function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  if (terms.length === 0) return [text]
  const pattern = new RegExp(
    `(${terms.map((term) => term.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`,
    'gi',
  )
  return text.split(pattern).map((part, place) => {
    if (place % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}
