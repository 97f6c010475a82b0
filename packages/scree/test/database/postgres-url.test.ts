import { describe, expect, it } from 'vitest';
import { hidePassword, typedUrl, withoutParameters, withoutPassword } from '../../src/database/postgres-url.js';

describe('the address of a database', () => {
  it.each([
    ['postgres://me:hush@host/db', 'postgres://me@host/db'],
    ['postgresql://me:hu%2Fsh@host:5432/db?sslmode=require', 'postgresql://me@host:5432/db?sslmode=require'],
    ['POSTGRES://me:hush@host', 'POSTGRES://me@host'],
    ['postgres://me:hu@sh@host/db', 'postgres://me@host/db'],
    ['postgres://me:hu:sh@host/db', 'postgres://me@host/db'],
    ['postgres://:hush@/db', 'postgres://@/db'],
    ['postgres://me:hush@[::1]:5432/db', 'postgres://me@[::1]:5432/db'],
    ['postgres://me@host/db?password=hush', 'postgres://me@host/db'],
    ['postgres://me@host/db?password=hush&sslmode=disable', 'postgres://me@host/db?sslmode=disable'],
    ['postgres://me@host/db?a=1&sslpassword=hush&b=2&password=hush', 'postgres://me@host/db?a=1&b=2'],
    ['postgres://me:hu/sh@host/db', 'postgres://me'],
    ['postgres://me:hu#sh@host/db', 'postgres://me'],
    ['postgres://me:12/hush@host/db', 'postgres://me'],
  ])('%s is shown as %s', (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
    expect(hidePassword(url)).toBe(shown);
    expect(typedUrl(shown)).toBe(url);
  });

  it.each([
    'postgres://',
    'postgres:///db',
    'postgres://host:5432/db',
    'postgres://me@host/a@b',
    'data:x@y.csv',
    '--sql=a:b@c',
  ])('without a password is shown as it is: %s', (url) => {
    expect(hidePassword(url)).toBe(url);
    expect(typedUrl(url)).toBe(url);
  });

  it('names a report by the database', () => {
    expect(withoutParameters('postgres://me@host/shop?sslmode=require')).toBe('postgres://me@host/shop');
    expect(withoutParameters('postgres://me@host')).toBe('postgres://postgres');
    expect(withoutParameters('data?.csv')).toBe('data?.csv');
  });
});
