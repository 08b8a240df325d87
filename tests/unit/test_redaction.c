/* src/values/redaction.c and write_hidden.c: which names hide what, and which values stay seen
 * nevertheless. A runtime of this file's own knows what objects are: each begins with its shape. */
#include "metadata_test.h"

#include "tests/unit/any_room.h"
#include "tests/unit/own_shapes.h"

static struct redaction *common;

static int open_common(void **state)
{
    (void)state;
    return redaction_open(&common, true, NULL, NULL) == ILP_OK ? 0 : -1;
}

static int close_common(void **state)
{
    (void)state;
    redaction_close(common);
    return 0;
}

static enum secrecy of(const struct redaction *redaction, const char *name)
{
    return redaction_of_name(redaction, name, strlen(name));
}

/* ---- names ---- */

static void test_common_names(void **state)
{
    static const char *const secret[] = {"password",
                                         "Password",
                                         "PASSWORD",
                                         "userPassword",
                                         "dbpassword",
                                         "PasswordHash",
                                         "passwords",
                                         "OldPasswords",
                                         "_pwd",
                                         "Pwd2",
                                         "clientSecret",
                                         "CLIENT_SECRET",
                                         "clientsecret",
                                         "Secrets",
                                         "token",
                                         "AccessToken",
                                         "access_token",
                                         "TokenCount",
                                         "tokens",
                                         "X-Auth-Token",
                                         "apiKey",
                                         "API_KEY",
                                         "ApiKeys",
                                         "APIKey",
                                         "apikey2",
                                         "myapikey",
                                         "Authorization",
                                         "ConnectionString",
                                         "connection-string",
                                         "privateKey",
                                         "RSAPrivateKey",
                                         "Cookie",
                                         "Set-Cookie",
                                         "cookies",
                                         "SessionId",
                                         "ASP.NET_SessionId",
                                         "jwt",
                                         "bearerJwt",
                                         "otp",
                                         "credentials",
                                         "NetworkCredential",
                                         "creds",
                                         "cvv",
                                         "card_number"};
    static const char *const open[] = {
        "",           "pass",   "Tokenizer", "tokenize",   "secretary",   "Secretariat",
        "apiKeyring", "key",    "Keys",      "session",    "Sessions",    "cookieless",
        "pwdless",    "author", "jwtx",      "hotpot",     "laptop",      "account",
        "api",        "name",   "x_",        "TokenizerX", "\xC3\xA9jwt", "jwt\xC3\xA9"};
    (void)state;
    for (size_t i = 0; i < COUNT(secret); i++) {
        if (of(common, secret[i]) != SECRECY_CONTENT) {
            fail_msg("%s is no secret", secret[i]);
        }
    }
    for (size_t i = 0; i < COUNT(open); i++) {
        if (of(common, open[i]) != SECRECY_NONE) {
            fail_msg("%s is a secret", open[i]);
        }
    }
    assert_int_equal(of(NULL, "password"), SECRECY_NONE);
}

/* What the user names is hidden altogether, be it a common name. */
static void test_added_names(void **state)
{
    struct redaction *redaction;
    (void)state;
    assert_int_equal(redaction_open(&redaction, false, NULL, NULL), ILP_OK);
    assert_int_equal(of(redaction, "password"), SECRECY_NONE);
    assert_int_equal(redaction_add(redaction, "Api_Key,*zip*,Token*", NULL), ILP_OK);
    assert_int_equal(redaction_add(redaction, "\xC3\xA9t\xC3\xA9", NULL), ILP_OK);
    assert_int_equal(of(redaction, "apiKey"), SECRECY_ALL);
    assert_int_equal(of(redaction, "unzipped"), SECRECY_ALL);
    assert_int_equal(of(redaction, "tokenizer"), SECRECY_ALL);
    assert_int_equal(of(redaction, "detokenizer"), SECRECY_NONE);
    assert_int_equal(of(redaction, "Un\xC3\xA9t\xC3\xA9"), SECRECY_NONE);
    assert_int_equal(of(redaction, "un_\xC3\xA9t\xC3\xA9s"), SECRECY_ALL);
    redaction_close(redaction);
    redaction_close(NULL);
}

static void test_wrong_names(void **state)
{
    static const char *const wrong[] = {"",      "*",  "**",     "a*b",      "card,", "card,,b",
                                        "type:", "__", "type:*", "type:a*b", "-"};
    struct redaction *redaction;
    struct ilp_error error;
    (void)state;
    assert_int_equal(redaction_open(&redaction, false, NULL, NULL), ILP_OK);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (redaction_add(redaction, wrong[i], &error) != ILP_E_BAD_RULES) {
            fail_msg("%s is right", wrong[i]);
        }
    }
    assert_string_equal(error.message,
                        "takes names such as card, *card* and type:Shop.Card, not '-'");
    redaction_close(redaction);
}

static void test_methods(void **state)
{
    static const struct {
        const char *name;
        enum secrecy secrecy;
    } methods[] = {{"Shop.Vault::get_Token", SECRECY_CONTENT},
                   {"Shop.Token::get_Name", SECRECY_NONE},
                   {"Shop.Tokens/Vault::get_Name", SECRECY_NONE},
                   {"Shop.Vault/<GetToken>d__3::MoveNext", SECRECY_CONTENT},
                   {"Shop.Token/<>c::<Main>b__0_0", SECRECY_NONE},
                   {"Shop.Vault/<>c::<GetToken>b__0_0", SECRECY_CONTENT},
                   {"Shop.Vault::Shop.IVault.GetPassword", SECRECY_CONTENT},
                   {"GetToken", SECRECY_CONTENT},
                   {"", SECRECY_NONE}};
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        const char *name = methods[i].name;
        if (redaction_of_method(common, name, strlen(name)) != methods[i].secrecy) {
            fail_msg("%s", name);
        }
    }
}

static void test_keys(void **state)
{
    uint16_t key[300] = {'T', 'o', 'k', 'e', 'n', 0xD800};
    (void)state;
    assert_int_equal(redaction_of_key(common, (const uint8_t *)key, 5), SECRECY_CONTENT);
    assert_int_equal(redaction_of_key(common, (const uint8_t *)key, 6), SECRECY_NONE);
    assert_int_equal(redaction_of_key(common, (const uint8_t *)key, 4), SECRECY_NONE);
    assert_int_equal(redaction_of_key(common, (const uint8_t *)key, 0), SECRECY_NONE);
    assert_int_equal(redaction_of_key(NULL, (const uint8_t *)key, 5), SECRECY_NONE);
    for (size_t i = 5; i < COUNT(key); i++) {
        key[i] = i == 5 ? '-' : 0xFFFF;
    }
    assert_int_equal(redaction_of_key(common, (const uint8_t *)key, COUNT(key)), SECRECY_CONTENT);
}

static void test_types(void **state)
{
    struct redaction *redaction;
    (void)state;
    assert_int_equal(redaction_open(&redaction, true, NULL, NULL), ILP_OK);
    assert_false(redaction_of_type(redaction, "Shop.Password"));
    assert_int_equal(redaction_add(redaction,
                                   "type:Shop.Card,type:Keys.*,type:*Pin,type:*.Odd*,"
                                   "type:Shop.Safe+Key,type:Exact.Type`2+Nested",
                                   NULL),
                     ILP_OK);
    assert_int_equal(of(redaction, "Card"), SECRECY_NONE);
    assert_true(redaction_of_type(redaction, "Shop.Card"));
    assert_true(redaction_of_type(redaction, "Shop.Card`1[System.Int32]"));
    assert_false(redaction_of_type(redaction, "Shop.Cards"));
    assert_false(redaction_of_type(redaction, "Shop.Card+Side"));
    assert_false(redaction_of_type(redaction, "My.Shop.Card"));
    assert_false(redaction_of_type(redaction, "System.Collections.Generic.List`1[Shop.Card]"));
    assert_true(redaction_of_type(redaction, "Keys.A+B"));
    assert_true(redaction_of_type(redaction, "Shop.Safe+Key"));
    assert_true(redaction_of_type(redaction, "Shop.Safe`12+Key`1[System.Int32]"));
    assert_true(redaction_of_type(redaction, "Shop.Safe`1+Key"));
    assert_false(redaction_of_type(redaction, "Shop.Safe`1[System.Int32]"));
    assert_false(redaction_of_type(redaction, "Shop.Card`1+Side[System.Int32]"));
    assert_true(redaction_of_type(redaction, "Exact.Type`2+Nested"));
    assert_false(redaction_of_type(redaction, "Exact.Type`1+Nested"));
    char long_name[4096];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_true(redaction_of_type(redaction, long_name));
    assert_true(redaction_of_type(redaction, "Shop.Pin"));
    assert_true(redaction_of_type(redaction, "Pin"));
    assert_false(redaction_of_type(redaction, "in"));
    assert_true(redaction_of_type(redaction, "Shop.OddOne"));
    assert_false(redaction_of_type(redaction, NULL));
    assert_false(redaction_of_type(NULL, "Shop.Card"));
    redaction_close(redaction);
}

/* ---- values ---- */

struct thing {
    const struct shape *type;
    const void *reference;
    int32_t number;
    int64_t wide;
};

static const struct shape text = {
    .kind = SHAPE_STRING, .size = sizeof(void *), .references = true, .name = "System.String"};
static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape guid = {.kind = SHAPE_GUID, .size = 16, .name = "System.Guid"};
static const struct shape_field cancellation_fields[] = {FIELD("_source", 0, &any)};
static const struct shape cancellation = {.kind = SHAPE_FRAMEWORK,
                                          .known = KNOWN_CANCELLATION,
                                          .size = 8,
                                          .fields = cancellation_fields,
                                          .field_count = 1,
                                          .name = "System.Threading.CancellationToken"};

static struct {
    const struct shape *type;
    int32_t length;
    uint16_t units[8];
} ada = {&text, 3, {'A', 'd', 'a'}}, token_key = {&text, 5, {'t', 'o', 'k', 'e', 'n'}};

static const char *shown(const struct redaction *redaction, enum secrecy secrecy,
                         const struct shape *shape, const void *value, size_t size)
{
    static char line_text[600];
    const struct shaped_value shaped = {.shape = shape,
                                        .types = &own_types,
                                        .value = value,
                                        .size = size,
                                        .redaction = redaction,
                                        .secrecy = secrecy};
    fits_any_room(&shaped);
    line_text[shape_write(&shaped, line_text, sizeof line_text - 1)] = '\0';
    return line_text;
}

#define SHOWN(secrecy, shape, value) shown(common, secrecy, shape, &(value), sizeof(value))

static void test_fields(void **state)
{
    static const struct shape_field fields[] = {
        {.name = "Password",
         .offset = offsetof(struct thing, reference),
         .shape = &any,
         .secrecy = SECRECY_CONTENT},
        {.name = "TokenCount",
         .offset = offsetof(struct thing, number),
         .shape = &int32,
         .secrecy = SECRECY_CONTENT,
         .plain_size = 10},
        FIELD("Number", offsetof(struct thing, wide), &int32)};
    static const struct shape class = {.kind = SHAPE_CLASS,
                                       .size = sizeof(struct thing),
                                       .fields = fields,
                                       .field_count = COUNT(fields),
                                       .is_class = true,
                                       .name = "N.C",
                                       .short_name = "C"};
    static const struct shape plain = {
        .kind = SHAPE_CLASS, .size = 8, .is_class = true, .name = "N.P", .short_name = "P"};
    const struct {
        const struct shape *type;
        int32_t number;
    } boxed = {&int32, 7};
    const struct shape *unknown = NULL, *empty = &plain;
    struct thing thing = {&class, &ada, 3, 4};
    const void *object = &thing;
    (void)state;
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object),
                        "{Password={redacted}, TokenCount=3, Number=4}");
    thing.reference = NULL;
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object),
                        "{Password=null, TokenCount=3, Number=4}");
    thing.reference = &boxed;
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object), "{Password=7, TokenCount=3, Number=4}");
    thing.reference = &unknown; /* what is not known may be anything */
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object),
                        "{Password={redacted}, TokenCount=3, Number=4}");
    thing.reference = &empty;
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object),
                        "{Password={redacted}, TokenCount=3, Number=4}");
}

static void test_kinds(void **state)
{
    static const struct shape_field nullable_fields[] = {FIELD("hasValue", 0, &int32),
                                                         FIELD("value", 4, &int32)};
    static const struct shape nullable = {.kind = SHAPE_NULLABLE,
                                          .size = 8,
                                          .fields = nullable_fields,
                                          .field_count = 2,
                                          .name = "System.Int32"};
    static const struct shape byref = {
        .kind = SHAPE_BYREF, .size = sizeof(void *), .inner = &int32};
    const int32_t number = 5, some[] = {1, 6};
    const uint8_t bytes[16] = {1};
    const void *object = &ada, *none = NULL, *target = &number;
    (void)state;
    assert_string_equal(SHOWN(SECRECY_CONTENT, &int32, number), "5");
    assert_string_equal(SHOWN(SECRECY_ALL, &int32, number), "{redacted}");
    assert_string_equal(SHOWN(SECRECY_CONTENT, &nullable, some), "6");
    assert_string_equal(SHOWN(SECRECY_ALL, &nullable, some), "{redacted}");
    assert_string_equal(SHOWN(SECRECY_CONTENT, &byref, target), "5");
    assert_string_equal(SHOWN(SECRECY_ALL, &byref, target), "{redacted}");
    assert_string_equal(SHOWN(SECRECY_CONTENT, &guid, bytes), "{redacted}");
    assert_string_equal(SHOWN(SECRECY_CONTENT, &text, object), "{redacted}");
    assert_string_equal(SHOWN(SECRECY_ALL, &text, none), "null");
    assert_string_equal(shown(common, SECRECY_ALL, &text, NULL, 0), "null");
    assert_string_equal(shown(common, SECRECY_CONTENT, &cancellation, &none, 8),
                        "{IsCancellationRequested=false}");
    /* as if it had another size: not as bytes either */
    assert_string_equal(shown(common, SECRECY_CONTENT, &int32, bytes, 3), "{redacted}");
    assert_string_equal(shown(common, SECRECY_NONE, &int32, bytes, 3), "bytes 010000");
}

static void test_pairs(void **state)
{
    struct pair {
        const void *key;
        const void *value;
    } pair = {&token_key, &ada};
    static const struct shape_field fields[] = {
        FIELD("key", offsetof(struct pair, key), &any),
        FIELD("value", offsetof(struct pair, value), &text)};
    static const struct shape shape = {.kind = SHAPE_FRAMEWORK,
                                       .known = KNOWN_PAIR,
                                       .size = sizeof(struct pair),
                                       .fields = fields,
                                       .field_count = 2,
                                       .name = "N.Pair"};
    (void)state;
    assert_string_equal(SHOWN(SECRECY_NONE, &shape, pair), "\"token\"={redacted}");
    pair.key = &ada;
    assert_string_equal(SHOWN(SECRECY_NONE, &shape, pair), "\"Ada\"=\"Ada\"");
    pair.key = NULL;
    assert_string_equal(SHOWN(SECRECY_NONE, &shape, pair), "null=\"Ada\"");
}

/* Which types they are is known when their shapes are built: test_object_build.c. */
static void test_hidden_types(void **state)
{
    static const struct shape card = {
        .kind = SHAPE_CLASS, .is_class = true, .secret = true, .name = "C", .short_name = "C"};
    static const struct shape seen = {
        .kind = SHAPE_CLASS, .is_class = true, .name = "C", .short_name = "C"};
    static const struct shape secret = {.kind = SHAPE_GUID, .secret = true, .size = 16};
    const struct shape *own[] = {&card, &seen};
    const struct {
        const struct shape *type;
        uint8_t bytes[16];
    } boxed = {&secret, {0}};
    const void *object = &own[0];
    (void)state;
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object), "{redacted}");
    object = &own[1];
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object), "{}");
    object = &boxed;
    assert_string_equal(SHOWN(SECRECY_NONE, &any, object), "{redacted}");
    assert_string_equal(SHOWN(SECRECY_NONE, &secret, boxed.bytes), "{redacted}");
    /* as if it had another size: not as bytes either */
    assert_string_equal(shown(common, SECRECY_NONE, &secret, boxed.bytes, 3), "{redacted}");
}

/* ---- memory ---- */

static void test_no_memory(void **state)
{
    struct memory memory = {.calls = 0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    ilp_status status = ILP_E_NO_MEMORY;
    (void)state;
    for (unsigned long n = 1; status != ILP_OK; n++) {
        struct redaction *redaction;
        memory.fail_at = memory.calls + n;
        status = redaction_open(&redaction, true, &allocator, NULL);
        for (unsigned i = 0; status == ILP_OK && i < 200; i++) { /* past an arena's first chunk */
            status = redaction_add(redaction, "card,type:Shop.Card", NULL);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        redaction_close(redaction);
        memory_is_empty(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_names), cmocka_unit_test(test_added_names),
        cmocka_unit_test(test_wrong_names),  cmocka_unit_test(test_methods),
        cmocka_unit_test(test_keys),         cmocka_unit_test(test_types),
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_pairs),        cmocka_unit_test(test_hidden_types),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, open_common, close_common);
}
