import { Dexie, liveQuery } from 'dexie'

const database = new Dexie('notes')
database.version(1).stores({ notes: 'id, *tags', state: 'name' })

/** As applications do that work offline: first everything into the database, then everything from it. */
async function synchronise() {
  let { next } = (await database.state.get('sync')) ?? { next: 0 }
  while (next !== null) {
    const page = await (await fetch(`/sync/notes-${next}.json`)).json()
    next = page.next
    await database.transaction('rw', database.notes, database.state, async () => {
      await database.notes.bulkPut(page.notes)
      await database.state.put({ name: 'sync', next })
    })
  }
}

async function show(notes) {
  const odd = await database.notes.where('tags').equals('odd').count()
  localStorage.setItem('seen', String(notes.length))
  document.querySelector('h1').textContent = `${localStorage.seen} notes, ${odd} odd`
  const lines = notes.map(({ id, text, tags, isMarked }) => {
    const line = document.createElement('li')
    line.textContent = `${isMarked ? '✓ ' : ''}${text} (${tags.join(', ')})`
    if (id % 3 === 0 && id < 12) {
      const image = new Image(80, 60)
      image.src = `/pictures/${id}.svg`
      line.append(image)
    }
    return line
  })
  document.querySelector('ul').replaceChildren(...lines)
  if (notes.every(({ isMarked }) => isMarked)) document.querySelector('button').textContent = 'done'
}

await synchronise()
liveQuery(() => database.notes.orderBy('id').toArray()).subscribe(async (notes) => {
  await show(notes)
  await Promise.all([...document.images].map((image) => image.decode()))
  document.documentElement.dataset.ready = 'yes'
})
document.querySelector('button').onclick = () => database.notes.toCollection().modify({ isMarked: true })
