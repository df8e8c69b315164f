import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl, urlCharsMax } from '../../model/url/url.ts'
import { fetchedAs, fetchedUrl, indexUrl, queryOfRequest, requestQuery } from './request-query.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

function queryOf(contentType: string | undefined, body: string | Uint8Array, method = 'POST') {
  return requestQuery({ method, contentType, body: typeof body === 'string' ? Buffer.from(body) : body })
}

describe('a request as a query', () => {
  // What warcio.js gives for the same.
  test.each([
    [undefined, '', '__wb_post_data='],
    [form, 'foo=bar&test=abc', 'foo=bar&test=abc'],
    [form, 'data=%5E&a=%26', 'data=^&a=%26'],
    [form, 'a=b&c=%ac', ''],
    [`${form}; charset=utf-8`, 'A=1', 'A=1'],
    [json, '{"abc":"def","a":4,"foo":{"bar":"123","a":"5"}}', 'abc=def&a=4&bar=123&a.2_=5'],
    [
      json,
      '{"type":"event","id":44.0,"values":[true,false,null],"source":{"id":"a+b&c= d","values":[3,4]}}',
      'type=event&id=44&values=true&values.2_=false&values.3_=null&id.2_=a%2Bb%26c%3D+d&values.4_=3&values.5_=4',
    ],
    [json, 'no JSON', ''],
    [json, '{"empty":"","z":0}', 'z=0'],
    ['text/plain', '{"a":"b"}', 'a=b'],
    ['text/plain', 'just text', '__wb_post_data=anVzdCB0ZXh0'],
    ['application/octet-stream', Buffer.from([1, 2, 3, 4, 5, 6]), '__wb_post_data=AQIDBAUG'],
    [
      'multipart/form-data; boundary=--x',
      '----x\r\nContent-Disposition: form-data; name="q"\r\n\r\n1 2\r\n----x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n----x--',
      'q=1+2',
    ],
  ])('%s %s', (contentType, body, query) => {
    assert.equal(queryOf(contentType, body), `__wb_method=POST&${query}`)
  })

  test('a GET has none, other methods do, and what is no method is none', () => {
    assert.equal(queryOf(json, '{}', 'GET'), undefined)
    assert.equal(queryOf(undefined, '', 'get'), undefined)
    assert.equal(queryOf(undefined, '', 'OPTIONS'), '__wb_method=OPTIONS&__wb_post_data=')
    assert.equal(queryOf(json, '{"a":1}', 'put'), '__wb_method=PUT&a=1')
    assert.equal(queryOf(undefined, '', 'a b'), undefined)
  })

  test('is read from a request as it was sent', () => {
    const request = `POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Type: ${form}\r\n\r\nx=1`
    assert.equal(queryOfRequest(Buffer.from(request)), '__wb_method=POST&x=1')
    assert.equal(queryOfRequest(Buffer.from('nothing of the kind')), undefined)
  })

  test('of a large body has its beginning, without half a character', () => {
    const query = queryOf(form, `a=${'%C3%A4'.repeat(5_000)}`)!
    assert.match(query, /^__wb_method=POST&a=ä+$/)
    assert.ok(query.length < 4_200)
    assert.ok(queryOf('image/png', new Uint8Array(3_000_000))!.length < 4_200)
    assert.ok(queryOf(json, JSON.stringify(Array(200_000).fill({ a: 1 })))!.length < 4_200)
    assert.equal(queryOf(json, `${'['.repeat(50_000)}1${']'.repeat(50_000)}`), '__wb_method=POST&')
  })
})

describe('the URL that an answer is filed under', () => {
  test('has the query behind its own, and tells what was fetched', () => {
    const filed = indexUrl(parseUrl('http://a.test/x?y=1'), '__wb_method=POST&b=ä #1&a=2')
    assert.equal(filed.href, 'http://a.test/x?y=1&__wb_method=POST&b=%C3%A4%20%231&a=2')
    assert.equal(filed.surt, 'test,a)/x?__wb_method=post&a=2&b=%c3%a4%20%231&y=1')
    assert.deepEqual(fetchedAs(filed.href), {
      url: 'http://a.test/x?y=1',
      method: 'POST',
      requestBody: 'b=%C3%A4%20%231&a=2',
    })
    const plain = indexUrl(parseUrl('http://a.test/'), '__wb_method=OPTIONS&__wb_post_data=')
    assert.equal(plain.href, 'http://a.test/?__wb_method=OPTIONS&__wb_post_data=')
    assert.equal(fetchedUrl(plain.href), 'http://a.test/')
  })

  test('of a GET is its own', () => {
    for (const url of [
      'http://a.test/',
      'http://a.test/?__wb_method=GET&a=b',
      'http://a.test/?a=__wb_method=POST',
    ]) {
      assert.equal(fetchedAs(url), undefined)
      assert.equal(fetchedUrl(url), url)
    }
  })

  test('that would be too long has the method alone', () => {
    const long = parseUrl('http://a.test/'.padEnd(urlCharsMax - 100, 'a'))
    const filed = indexUrl(long, `__wb_method=POST&a=${'b'.repeat(4_000)}`)
    assert.equal(filed.href, `${long.href}?__wb_method=POST&`)
    assert.equal(
      indexUrl(parseUrl('http://a.test/'.padEnd(urlCharsMax, 'a')), '__wb_method=POST&a').href.length,
      urlCharsMax,
    )
  })
})
