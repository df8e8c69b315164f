// Sends archives to be taken in, one after the other, and tells how far each has come and what became of it.
//
// The peer answers line by line once it has all of a file (src/api/v1/work-answer.ts). Who closes the page stops it; sent again, a file goes
// on from where it was.

import { plural, printBytes, printShare } from '../src/ui/markup/amounts.ts'

interface Taken {
  readonly kept: number
  readonly known: number
  readonly damaged: number
  readonly wasDone: boolean
}

interface Line {
  readonly progress?: { readonly doneBytes: number; readonly totalBytes: number; readonly kept: number }
  readonly result?: Taken
  readonly error?: { readonly message: string }
}

const form = document.querySelector<HTMLFormElement>('form.upload')
if (form !== null) offer(form)

function offer(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type=file]')!
  const button = form.querySelector('button')!
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    addEventListener('beforeunload', stay)
    for (const file of input.files ?? []) await take(form, file)
    removeEventListener('beforeunload', stay)
    button.disabled = false
    form.reset()
  })
}

/** Asks before the page is closed while something is under way. */
function stay(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

async function take(form: HTMLFormElement, file: File): Promise<void> {
  const underway = form.querySelector<HTMLElement>('.underway')!
  const words = underway.querySelector('p')!
  const bar = underway.querySelector('progress')!
  const show = (doing: string, part: number, whole: number) => {
    words.textContent = `${doing} ${file.name}: ${printShare(part, whole)}`
    bar.value = whole === 0 ? 0 : part / whole
  }
  show('Sending', 0, file.size)
  underway.hidden = false
  try {
    await checkSize(form.action, file)
    tell(form, file, takenWords(await send(form.action, file, show)), true)
  } catch (error) {
    tell(form, file, `not taken in. ${(error as Error).message}`, false)
  }
  underway.hidden = true
}

/** What is too large would be cut off, without a word. */
async function checkSize(address: string, { size }: File): Promise<void> {
  const answer = await fetch(address).catch(() => Promise.reject(new Error(cutOff)))
  const { bytesMax, error } = (await answer.json()) as { bytesMax: number } & Line
  if (error !== undefined) throw new Error(error.message)
  if (size > bytesMax)
    throw new Error(
      `It has ${printBytes(size)}, and this archive takes at most ${printBytes(bytesMax)} now: by its setting http.uploadSize, and by the room on its disk. On its machine, polyhistor import takes files of any size.`,
    )
}

/** Of a line that tells of progress; there can be very many of them. */
const progressCharsMax = 2_000

const cutOff =
  'The connection was cut, or the archive cannot be reached. What it has taken in stays: send the file again, and it goes on from there.'

function send(
  address: string,
  file: File,
  show: (doing: string, part: number, whole: number) => void,
): Promise<Taken> {
  // Only this one tells how much of a body has gone out.
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => show('Sending', loaded, total))
    request.addEventListener('progress', () => {
      const { progress } = lastLine(request.responseText.slice(-progressCharsMax))
      if (progress !== undefined) show('Taking in', progress.doneBytes, progress.totalBytes)
    })
    request.addEventListener('loadend', () => {
      const { result, error } = lastLine(request.responseText)
      if (result !== undefined) resolve(result)
      else reject(new Error(error?.message ?? cutOff))
    })
    request.open('POST', address)
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.send(file)
  })
}

/** The last that has come whole. A refusal is one without a line's end. */
function lastLine(text: string): Line {
  const line = text.trimEnd().split('\n').findLast(isWhole)
  return line === undefined ? {} : JSON.parse(line)
}

function isWhole(line: string): boolean {
  try {
    return JSON.parse(line) !== null
  } catch {
    return false
  }
}

function takenWords({ kept, known, damaged, wasDone }: Taken): string {
  if (wasDone) return 'taken in before, to its end.'
  const parts = [`${plural(kept, 'capture')} taken in`]
  if (known > 0) parts.push(`${plural(known, 'was', 'were')} here already`)
  if (damaged > 0) parts.push(`${plural(damaged, 'record is', 'records are')} damaged and could not be read`)
  return `${parts.join(', ')}.`
}

function tell(form: HTMLFormElement, { name }: File, words: string, isTaken: boolean): void {
  const item = document.createElement('li')
  item.className = isTaken ? 'well' : 'trouble'
  const title = document.createElement('bdi')
  title.textContent = name
  item.append(title, `: ${words} `)
  if (isTaken) item.append(link('/sites', 'See what is archived'))
  form.querySelector('.taken')!.append(item)
}

function link(path: string, text: string): HTMLAnchorElement {
  const element = document.createElement('a')
  element.href = path
  element.textContent = text
  return element
}
