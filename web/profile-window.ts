// Shows what the browser of a profile shows, and passes mouse and keys on.
//
// Pictures come as events, the newest one only; what is done goes the other way in order, one request after the other.

import { profileWindowTexts } from '../src/ui/texts/profile-window.ts'
import { say } from './reader.ts'

type Input = Record<string, unknown> & { kind: string }

const canvas = document.querySelector<HTMLCanvasElement>('#window-screen')!
const address = document.querySelector<HTMLInputElement>('#window-url')!
const message = document.querySelector<HTMLElement>('#window-message')!
const waitingMax = 200

let waiting: Input[] = []
let isSending = false
let isOver = false

function pass(input: Input): void {
  const last = waiting.at(-1)
  // Only where the pointer came to matters.
  if (input.kind === 'move' && last?.kind === 'move') waiting[waiting.length - 1] = input
  else if (waiting.length < waitingMax) waiting.push(input)
  void send()
}

async function send(): Promise<void> {
  if (isSending || isOver) return
  isSending = true
  try {
    while (waiting.length > 0) {
      const inputs = waiting
      waiting = []
      await post('/window/input', inputs)
    }
  } catch {
    message.textContent = say(profileWindowTexts.isCommandRunning)
  } finally {
    isSending = false
  }
}

async function post(path: string, body: unknown): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(String(answer.status))
}

async function draw(picture: string): Promise<void> {
  const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
}

const events = new EventSource('/window/frames')
events.addEventListener('frame', ({ data }) => {
  const { picture, url } = JSON.parse(data) as { picture: string; url: string }
  void draw(picture)
  if (document.activeElement !== address) address.value = url
})

function place(event: MouseEvent): { x: number; y: number } {
  const { left, top, width, height } = canvas.getBoundingClientRect()
  const within = (value: number, max: number) => Math.min(Math.max(value, 0), max)
  return {
    x: within(((event.clientX - left) * canvas.width) / width, canvas.width),
    y: within(((event.clientY - top) * canvas.height) / height, canvas.height),
  }
}

const buttons = ['left', 'middle', 'right'] as const
canvas.addEventListener('mousemove', (event) => pass({ kind: 'move', ...place(event) }))
for (const kind of ['down', 'up'] as const) {
  canvas.addEventListener(`mouse${kind}`, (event) => {
    event.preventDefault()
    canvas.focus()
    pass({ kind, ...place(event), button: buttons[event.button] ?? 'left' })
  })
}
canvas.addEventListener('contextmenu', (event) => event.preventDefault())
canvas.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault()
    pass({ kind: 'wheel', deltaY: Math.min(Math.max(event.deltaY, -4_000), 4_000) })
  },
  { passive: false },
)
const modifiers = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process'])
canvas.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event
  const isPaste = (ctrlKey || metaKey) && key.toLowerCase() === 'v'
  // What is pasted comes as an event of its own.
  if (modifiers.has(key) || isPaste) return
  event.preventDefault()
  const isPlain = key.length === 1 && !ctrlKey && !metaKey
  if (isPlain && !/^[\x20-\x7e]$/.test(key)) return pass({ kind: 'text', text: key })
  const held = isPlain
    ? []
    : [ctrlKey && 'Control', metaKey && 'Meta', altKey && 'Alt', event.shiftKey && 'Shift'].filter(Boolean)
  pass({ kind: 'press', keys: [...held, key === ' ' ? 'Space' : key].join('+') })
})
canvas.addEventListener('paste', (event) => pasted(event))
document.addEventListener('paste', (event) => {
  if (document.activeElement === canvas) pasted(event)
})

function pasted(event: ClipboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
  const text = event.clipboardData?.getData('text/plain').slice(0, 10_000) ?? ''
  if (text !== '') pass({ kind: 'text', text })
}

async function end(isKept: boolean): Promise<void> {
  isOver = true
  events.close()
  try {
    await post('/window/done', { keep: isKept })
    message.textContent = say(isKept ? profileWindowTexts.kept : profileWindowTexts.nothingKept)
    canvas.hidden = true
  } catch {
    message.textContent = say(profileWindowTexts.isCommandRunning)
  }
}

document.querySelector('.window-bar')!.addEventListener('submit', (event) => {
  event.preventDefault()
  const typed = address.value.trim()
  pass({ kind: 'go', url: /^https?:\/\//i.test(typed) ? typed : `https://${typed}` })
  canvas.focus()
})
document.querySelector('#window-back')!.addEventListener('click', () => pass({ kind: 'back' }))
document.querySelector('#window-keep')!.addEventListener('click', () => void end(true))
document.querySelector('#window-cancel')!.addEventListener('click', () => void end(false))
