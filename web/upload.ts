// Sends archives to be taken in, one after the other, and tells how far each has come and what became of it.
//
// The peer answers line by line once it has all of a file (src/api/v1/work-answer.ts). Who closes the page stops it; sent again, a file goes
// on from where it was.

import { printBytes, printShare } from '../src/ui/markup/amounts.ts'
import { uploadTexts } from '../src/ui/texts/upload.ts'
import { say } from './reader.ts'

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
  const show: Show = (doing, part, whole) => {
    words.textContent = say(doing({ file: file.name, share: printShare(part, whole) }))
    bar.value = whole === 0 ? 0 : part / whole
  }
  show(uploadTexts.sending, 0, file.size)
  underway.hidden = false
  try {
    await checkSize(form.action, file)
    tell(form, file, takenWords(await send(form.action, file, show)), true)
  } catch (error) {
    tell(form, file, say(uploadTexts.notTakenIn({ why: (error as Error).message })), false)
  }
  underway.hidden = true
}

/** What is too large would be cut off, without a word. */
async function checkSize(address: string, { size }: File): Promise<void> {
  const answer = await fetch(address).catch(() => Promise.reject(new Error(cutOff)))
  const { bytesMax, error } = (await answer.json()) as { bytesMax: number } & Line
  if (error !== undefined) throw new Error(error.message)
  if (size > bytesMax)
    throw new Error(say(uploadTexts.tooLarge({ size: printBytes(size), most: printBytes(bytesMax) })))
}

/** Of a line that tells of progress; there can be very many of them. */
const progressCharsMax = 2_000

const cutOff = say(uploadTexts.cutOff)

type Show = (doing: typeof uploadTexts.sending, part: number, whole: number) => void

function send(address: string, file: File, show: Show): Promise<Taken> {
  // Only this one tells how much of a body has gone out.
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      show(uploadTexts.sending, loaded, total),
    )
    request.addEventListener('progress', () => {
      const { progress } = lastLine(request.responseText.slice(-progressCharsMax))
      if (progress !== undefined) show(uploadTexts.takingIn, progress.doneBytes, progress.totalBytes)
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
  if (wasDone) return say(uploadTexts.takenBefore)
  const parts = [say(uploadTexts.taken({ count: kept }))]
  if (known > 0) parts.push(say(uploadTexts.known({ count: known })))
  if (damaged > 0) parts.push(say(uploadTexts.damaged({ count: damaged })))
  return `${parts.join(', ')}.`
}

function tell(form: HTMLFormElement, { name }: File, words: string, isTaken: boolean): void {
  const item = document.createElement('li')
  item.className = isTaken ? 'well' : 'trouble'
  const title = document.createElement('bdi')
  title.textContent = name
  item.append(title, `: ${words} `)
  if (isTaken) item.append(link('/sites', say(uploadTexts.seeArchived)))
  form.querySelector('.taken')!.append(item)
}

function link(path: string, text: string): HTMLAnchorElement {
  const element = document.createElement('a')
  element.href = path
  element.textContent = text
  return element
}
