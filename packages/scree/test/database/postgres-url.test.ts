import { openFile, openFiles, readModel, ScreeError } from 'scree';
import { describe, expect, it, vi } from 'vitest';
import { main } from '../../src/command/main.js';
import { hideSecrets } from '../../src/database/hide-secrets.js';
import { hidePassword, typedUrl, withoutParameters } from '../../src/database/postgres-url.js';

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
    ['postgres://me@host/db?a=1&sslpassword=hush&b=2&password=hush', 'postgres://me@host/db'],
    ['postgres://me:hu/sh@host/db', 'postgres://me'],
    ['postgres://me:hu#sh@host/db', 'postgres://me'],
    ['postgres://me:12/hush@host/db', 'postgres://me'],
    ['postgres://me@host/db?p%61ssword=hush&sslmode=require', 'postgres://me@host/db?sslmode=require'],
    ['postgres://me@host/db?PASSWORD=hush', 'postgres://me@host/db'],
    ['postgres://me@host/db?user=me&Password%20=hush', 'postgres://me@host/db?user=me'],
    ['postgres://me@host/db?sslmode=require;password=hush', 'postgres://me@host/db?sslmode=require'],
    ['postgres://me@host/db#password=hush', 'postgres://me@host/db'],
    ['postgres://me@host/db?sslmode=disable#password=hush', 'postgres://me@host/db?sslmode=disable'],
    ['postgres://me@host/db?hush', 'postgres://me@host/db'],
    ['postgres://me@host/db?%=hush', 'postgres://me@host/db'],
    ['postgres://me%3Ahush@host/db', 'postgres://me@host/db'],
    ['postgres://me:hush%40host/db', 'postgres://me@host/db'],
    ['postgres://me%40corp:hush@host/db', 'postgres://me%40corp@host/db'],
    ['postgres://host/me:hush@db', 'postgres://host'],
    ['postgres://me:hush@[::1]/db', 'postgres://me@[::1]/db'],
  ])('%s is shown as %s', (url, shown) => {
    expect(hideSecrets(url)).toBe(shown);
    expect(hidePassword(url)).toBe(shown);
    expect(typedUrl(shown)).toBe(url);
  });

  it.each([
    'postgres://',
    'postgres:///db',
    'postgres://host:5432/db',
    'postgres://[::1]/db',
    'postgres://[::1]:5432/db?sslmode=require&sslrootcert=/etc/ca.pem&options=-c%20statement_timeout%3D0',
    'postgres://you%40corp@host/db',
    'postgres://me@a:1,b:2/db?target_session_attrs=read-only',
    'https://example.org/@scope/data.csv?version=2#rows',
    'C:\\data\\x.csv',
    'select * from t where user=1 and password=2',
    '--transform=key=log',
    'postgres://me@host/a@b',
    'data:x@y.csv',
    '--sql=a:b@c',
  ])('without a password is shown as it is: %s', (url) => {
    expect(hidePassword(url)).toBe(url);
    expect(typedUrl(url)).toBe(url);
  });

  const others: readonly (readonly [string, string])[] = [
    [' postgres://me:hush@host/db', ' postgres://me@host/db'],
    ["'postgres://me:hush@host/db'", "'postgres://me@host/db'"],
    ['pg://me:hush@host/db', 'pg://host/db'],
    ['mysql://me:hush@host:3306/db', 'mysql://host:3306/db'],
    ['MYSQL://me:hu/sh@host/db', 'MYSQL://…'],
    ['jdbc:postgresql://host/db?user=me&password=hush', 'jdbc:postgresql://host/db'],
    ['jdbc:sqlserver://host:1433;databaseName=x;user=me;password=hush', 'jdbc:sqlserver://host:1433'],
    ['jdbc:oracle:thin:me/hush@host:1521/x', 'jdbc:…'],
    ['postgres:me:hush@host/db', 'postgres:…'],
    ['postgres:/me:hush@host/db', 'postgres:…'],
    ['https://hush@example.org/data.csv', 'https://example.org/data.csv'],
    ['https://example.org/data.csv?X-Amz-Signature=hush&x=1', 'https://example.org/data.csv'],
    ['https://example.org/data.csv#access_t%6Fken=hush', 'https://example.org/data.csv'],
    ['s3://key:hush@bucket/data.csv', 's3://bucket/data.csv'],
    ['host=example.org user=me password=hush', 'host=…'],
    ['Server=example.org;Pwd=hush', 'Server=…'],
    ['--data=mysql://me:hush@host/db', '--data=mysql://host/db'],
  ];

  it.each(others)('%s, which scree does not read, is shown as %s', (address, shown) => {
    expect(hideSecrets(address)).toBe(shown);
  });

  it('is shown without secrets in errors of the library', async () => {
    for (const [address] of others.filter(([each]) => !each.startsWith(' '))) {
      for (const open of [openFile, readModel, (path: string) => openFiles([path, 'x.csv'])]) {
        const error = await open(address).catch((problem: unknown) => problem);
        expect(error).toBeInstanceOf(ScreeError);
        const { message, stack, details, path } = error as ScreeError & { path?: string };
        expect(JSON.stringify([message, stack, details, path])).not.toContain('hush');
      }
    }
    await expect(openFile('jdbc:postgresql://me:hush@host/db')).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(/^jdbc:postgresql:\/\/host\/db is an address.*begin with postgres:\/\/ or sc:/),
    });
  });

  it('is shown without secrets by the command', async () => {
    const printed: unknown[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => printed.push(chunk) > 0);
    try {
      for (const [address] of others) {
        for (const words of [
          ['fit', address],
          ['fit', address, 'x.csv'],
          [address],
          ['inspect', address],
          ['lab', address, '--no-open'],
        ])
          expect(await main([...words, '--debug'])).toBeGreaterThan(0);
      }
    } finally {
      spy.mockRestore();
    }
    expect(printed.length).toBeGreaterThan(others.length);
    expect(printed.join('')).not.toContain('hush');
  });

  it('names a report by the database', () => {
    expect(withoutParameters('postgres://me@host/shop?sslmode=require')).toBe('postgres://me@host/shop');
    expect(withoutParameters('postgres://me@host')).toBe('postgres://postgres');
    expect(withoutParameters('data?.csv')).toBe('data?.csv');
  });
});
