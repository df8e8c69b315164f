// The console's tree: opens in place, page by page, and follows the keyboard. The server makes all markup; here it is put in its
// place.
//
// Bounded: of a list that is followed far, only the last pages stay on the page.

import { treeTexts } from '../src/ui/texts/tree.ts'
import { say } from './reader.ts'

const rowsMax = 500

const tree = document.querySelector<HTMLElement>('[role="tree"]')!
const view = document.querySelector<HTMLElement>('.console')!
const pane = document.querySelector<HTMLElement>('#facts')!
const shown = pane.querySelector<HTMLElement>('[data-facts]')!
const closer = pane.querySelector<HTMLButtonElement>('.close')!
const narrow = matchMedia('(max-width: 52rem)')
/** The last one asked for: an answer that comes late is not shown. */
let asked = 0

closer.hidden = false
view.classList.remove('chosen')
for (const link of tree.querySelectorAll('a')) link.tabIndex = -1
setCurrent(tree.querySelector<HTMLElement>('[aria-selected="true"]') ?? items()[0]!, false)

tree.addEventListener('click', (event) => {
  const target = event.target as HTMLElement
  const item = target.closest<HTMLElement>('[role="treeitem"]')
  // New tabs and windows are the browser's.
  if (item === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  if (target.closest('a') === null) return
  event.preventDefault()
  setCurrent(item, true)
  if (item.dataset.more !== undefined) return void more(item)
  if (target.closest('.twist') !== null) return void toggle(item)
  void choose(item)
  if (isClosed(item)) void open(item)
})

tree.addEventListener('keydown', (event) => {
  const item = (event.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]')
  if (item === null || event.ctrlKey || event.metaKey || event.altKey) return
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  void act(item)
})

document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closePane()
})
closer.addEventListener('click', closePane)

/** Actions are sent from where they stand, and the tree stays as it is. */
pane.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement
  const button = event.submitter as HTMLButtonElement | null
  event.preventDefault()
  void send(form, button)
})

const keys: Readonly<Record<string, (item: HTMLElement) => void | Promise<void>>> = {
  ArrowDown: (item) => step(item, 1),
  ArrowUp: (item) => step(item, -1),
  ArrowRight: (item) => (isClosed(item) ? open(item) : step(item, isOpen(item) ? 1 : 0)),
  ArrowLeft: (item) => (isOpen(item) ? shut(item) : setCurrent(parentOf(item) ?? item, true)),
  Home: () => setCurrent(items()[0]!, true),
  End: () => setCurrent(items().at(-1)!, true),
  Enter: (item) => (item.dataset.more === undefined ? choose(item) : more(item)),
  ' ': (item) => (item.dataset.more === undefined ? choose(item) : more(item)),
}

function items(): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>('[role="treeitem"]')].filter(
    (item) => item.closest('ul[hidden]') === null,
  )
}

function step(item: HTMLElement, by: number): void {
  const all = items()
  setCurrent(all[all.indexOf(item) + by] ?? item, true)
}

function parentOf(item: HTMLElement): HTMLElement | null {
  return item.parentElement?.closest<HTMLElement>('[role="treeitem"]') ?? null
}

function isClosed(item: HTMLElement): boolean {
  return item.getAttribute('aria-expanded') === 'false'
}

function isOpen(item: HTMLElement): boolean {
  return item.getAttribute('aria-expanded') === 'true'
}

function setCurrent(item: HTMLElement, hasFocus: boolean): void {
  for (const other of tree.querySelectorAll('[tabindex="0"]')) other.removeAttribute('tabindex')
  item.tabIndex = 0
  if (hasFocus) item.focus({ preventScroll: true })
  if (hasFocus) item.firstElementChild?.scrollIntoView({ block: 'nearest' })
}

function toggle(item: HTMLElement): void | Promise<void> {
  if (isClosed(item)) return open(item)
  if (isOpen(item)) shut(item)
}

function groupOf(item: HTMLElement): HTMLElement | null {
  return item.querySelector<HTMLElement>(':scope > [role="group"]')
}

function shut(item: HTMLElement): void {
  item.setAttribute('aria-expanded', 'false')
  groupOf(item)!.hidden = true
}

async function open(item: HTMLElement): Promise<void> {
  item.setAttribute('aria-expanded', 'true')
  const there = groupOf(item)
  if (there !== null) {
    there.hidden = false
    return
  }
  item.setAttribute('aria-busy', 'true')
  const group = document.createElement('ul')
  group.setAttribute('role', 'group')
  item.append(group)
  await fill(group, item.dataset.node ?? '')
  item.removeAttribute('aria-busy')
}

/** The next page takes the place of the item that stands for it. */
async function more(item: HTMLElement): Promise<void> {
  const group = item.parentElement!
  item.setAttribute('aria-busy', 'true')
  const rows = await branch(item.dataset.more!)
  const [first] = rows
  item.replaceWith(...rows)
  while (group.childElementCount > rowsMax + 1) forget(group)
  if (first !== undefined) setCurrent(first, true)
}

/** Of a long list the beginning goes; the way back to it stays. */
function forget(group: HTMLElement): void {
  let earlier = group.querySelector<HTMLElement>(':scope > .earlier')
  if (earlier === null) {
    earlier = document.createElement('li')
    earlier.className = 'tree-note earlier'
    earlier.textContent = say(treeTexts.forgotten)
    group.prepend(earlier)
  }
  earlier.nextElementSibling?.remove()
}

async function fill(group: HTMLElement, query: string): Promise<void> {
  group.replaceChildren(...(await branch(query)))
}

async function branch(query: string): Promise<HTMLElement[]> {
  const page = await fragment(`/admin/branch?${query}`)
  if (page === undefined) {
    const note = document.createElement('li')
    note.className = 'tree-note'
    note.textContent = say(treeTexts.isItRunning)
    return [note]
  }
  const rows = [...page.body.children] as HTMLElement[]
  for (const row of rows) for (const link of row.querySelectorAll('a')) link.tabIndex = -1
  return rows
}

async function choose(item: HTMLElement): Promise<void> {
  const query = item.dataset.node
  if (query === undefined) return
  for (const other of tree.querySelectorAll('[aria-selected="true"]')) {
    other.setAttribute('aria-selected', 'false')
    other.firstElementChild?.classList.remove('selected')
  }
  item.setAttribute('aria-selected', 'true')
  item.firstElementChild?.classList.add('selected')
  view.classList.add('open')
  history.replaceState(null, '', query === '' ? '/admin' : `/admin?${query}`)
  await show(fragment(`/admin/facts?${query}`))
  if (narrow.matches) pane.focus()
}

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  const fields = new URLSearchParams()
  for (const [name, value] of new FormData(form, button)) fields.append(name, String(value))
  if (button !== null) button.disabled = true
  // Its buttons are called action, too.
  const path = form.getAttribute('action')!
  await show(fragment(`${path}?fragment=1`, { method: 'POST', body: fields }))
}

async function show(coming: Promise<Document | undefined>): Promise<void> {
  const number = ++asked
  pane.setAttribute('aria-busy', 'true')
  const page = await coming
  if (number !== asked) return
  pane.removeAttribute('aria-busy')
  if (page === undefined) shown.textContent = say(treeTexts.isItRunning)
  else shown.replaceChildren(...page.body.childNodes)
  pane.scrollTop = 0
}

function closePane(): void {
  if (!view.classList.contains('open')) return
  view.classList.remove('open')
  tree.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
}

async function fragment(path: string, options: RequestInit = {}): Promise<Document | undefined> {
  const answer = await fetch(path, { ...options, headers: { Accept: 'text/html' } }).catch(() => undefined)
  if (answer === undefined) return undefined
  return new DOMParser().parseFromString(await answer.text(), 'text/html')
}
