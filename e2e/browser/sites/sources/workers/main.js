import { wrap } from 'comlink'

const told = (worker) =>
  new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = reject
  })

const blob = new Blob(
  [`fetch('${location.origin}/data/blob.json').then((r) => r.json()).then((data) => postMessage(data))`],
  { type: 'text/javascript' },
)
const classic = wrap(new Worker('/classic.js'))
const counting = wrap(new Worker(new URL('./counting.js', import.meta.url), { type: 'module' }))
const shared = new SharedWorker('/shared.js')
const drawing = new Worker(new URL('./drawing.js', import.meta.url), { type: 'module' })
const canvas = document.querySelector('canvas').transferControlToOffscreen()
const drawn = told(drawing)
drawing.postMessage({ canvas }, [canvas])

const lines = await Promise.all([
  classic.sum('/data/classic.json').then((sum) => `classic ${sum}`),
  counting.sum('/data/module.json').then((sum) => `module ${sum}`),
  told(shared.port).then(({ text }) => text),
  told(new Worker(URL.createObjectURL(blob))).then(({ text }) => text),
  drawn.then((count) => `${count} colours drawn`),
])
for (const line of lines) document.querySelector('ul').insertAdjacentHTML('beforeend', `<li>${line}</li>`)
document.documentElement.dataset.ready = 'yes'
