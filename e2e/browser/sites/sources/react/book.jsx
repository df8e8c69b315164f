import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import './book.css'

export default function Book() {
  const { id } = useParams()
  const [book, setBook] = useState()
  useEffect(() => {
    const request = new XMLHttpRequest()
    request.open('GET', `/api/books/${id}.json`)
    request.responseType = 'json'
    request.onload = () => setBook(request.response)
    request.send()
  }, [id])
  if (book === undefined) return <p>Loading</p>
  return (
    <article className="book" data-id={id}>
      <h1>{book.title}</h1>
      <img src={book.picture} alt="" width="320" height="240" />
      <p>{book.text}</p>
    </article>
  )
}
