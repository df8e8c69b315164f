// What is wrong with a response that is no HTTP/1, or too much of it.

/** `malformed`: no HTTP, or HTTP that could mean two things. `overflow`: its head or trailers have no end. */
export class Http1Fault extends Error {
  readonly kind: 'malformed' | 'overflow'

  constructor(kind: Http1Fault['kind'], message: string) {
    super(message)
    this.name = 'Http1Fault'
    this.kind = kind
  }
}
