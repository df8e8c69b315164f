import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readMultipartForm } from './multipart-form.ts'

const type = 'multipart/form-data; boundary=----x'
const body = (...parts: string[]) =>
  Buffer.from(`${parts.map((part) => `------x\r\n${part}\r\n`).join('')}------x--\r\n`)

test('fields and files are told apart, whatever is in them', async () => {
  const form = new FormData()
  form.set('scope', 'page')
  form.set('list', new File([Buffer.of(0, 1, 13, 10, 45, 45, 255)], 'seeds.txt'))
  const response = new Response(form)
  const sent = Buffer.from(await response.arrayBuffer())
  const parts = readMultipartForm(sent, response.headers.get('content-type')!)!
  assert.deepEqual(
    parts.map(({ name, filename, bytes }) => [name, filename, [...bytes].slice(0, 8)]),
    [
      ['scope', undefined, [...Buffer.from('page')]],
      ['list', 'seeds.txt', [0, 1, 13, 10, 45, 45, 255]],
    ],
  )
})

test('what is no form is none', () => {
  const part = 'Content-Disposition: form-data; name="a"\r\n\r\n1'
  assert.equal(readMultipartForm(body(part), type)!.length, 1)
  assert.deepEqual(readMultipartForm(body(), type), [])
  for (const [bytes, of] of [
    [body(part), 'text/plain'],
    [body(part), 'multipart/form-data'],
    [body(part).subarray(0, 40), type],
    [body('no head'), type],
    [body('Content-Disposition: form-data\r\n\r\n1'), type],
    [Buffer.alloc(0), type],
    [body(...Array.from({ length: 200 }, () => part)), type],
  ] as const)
    assert.equal(readMultipartForm(bytes, of), undefined)
})
